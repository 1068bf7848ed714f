"""The value of a question: the information that its answer is expected to give about the cause.

The diagnosis model gives every cause a score in log-odds, and an answer changes that score through the signs that it
implies. This gives the probability of each answer under each cause: its share among people who ask, times e to the
change of the cause's score, normalised over all answers. The mutual information between answer and cause follows. The
cause `unknown` is left out, because questions are meant to separate the known causes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache, cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from ..diagnosis import judged_signs
from ..diagnosis.model import Model
from ..signs import WORD, Signs, all_signs
from .questions import Question, Telling, all_questions
from .telling import told_run

Floats = NDArray[np.float64]
STEEPEST = 30.0  # limit of a change in log-odds, against overflow


def ranked(
    questions: Sequence[Question], signs: Signs, model: Model, temperature: float, said: Sequence[Telling] = ()
) -> list[tuple[float, Question]]:
    """(bits, question), ordered by bits per effort of answering, the best first.

    `said`: the answers so far, because some numbers mean something only together (parameters and samples).
    """
    now = {name: sign.level for name, sign in signs.items()}
    firm = {name for name, sign in signs.items() if not sign.values.get("told")}
    view = View(model, now, temperature)
    facts = [telling for telling in said if telling.facts]
    worth = [(view.expected_information(question, firm, facts), question) for question in questions]
    return sorted(worth, key=lambda item: (-item[0] / item[1].effort, item[1].id))


class View:
    """The scores and probabilities of the causes at given levels of signs."""

    def __init__(self, model: Model, levels: Mapping[str, float], temperature: float) -> None:
        self.model = model
        self.levels = levels
        self.temperature = temperature
        self.names = list(model.causes)

    @cached_property
    def scores(self) -> Floats:
        return np.array([self.model.score(name, self.levels) for name in self.names])

    @cached_property
    def chances(self) -> Floats:
        powers = np.exp((self.scores - self.scores.max()) / self.temperature)
        normal: Floats = powers / powers.sum()
        return normal

    @cached_property
    def _rules(self) -> Floats:
        return np.array([self._rule(name, self.levels) for name in self.names])

    def _rule(self, name: str, levels: Mapping[str, float]) -> float:
        return sum(term.amount for term in self.model.fixed_terms(self.model.causes[name], levels))

    def change(self, news: Mapping[str, float]) -> Floats:
        """What new levels add to each cause's score, by the weights and by the rules that use these signs."""
        after = {**self.levels, **news}
        linear = np.array([sum(self._moved(name, sign, after) for sign in news) for name in self.names])
        concerned = [any(sign in _ruled_by(self.model)[name] for sign in news) for name in self.names]
        rules = [
            self._rule(name, after) if touched else before
            for name, touched, before in zip(self.names, concerned, self._rules, strict=True)
        ]
        added: Floats = linear + np.array(rules) - self._rules
        return added

    def _moved(self, name: str, sign: str, after: Mapping[str, float]) -> float:
        weight = self.model.parameters.weight[name].get(sign, 0.0)
        if not weight:
            return 0.0
        levels = after[sign] - self.levels.get(sign, 0.0)
        absences = self.model.absence(sign, weight, after) - self.model.absence(sign, weight, self.levels)
        return weight * (levels - absences)

    def expected_information(self, question: Question, firm: set[str], facts: Sequence[Telling] = ()) -> float:
        """The bits about the cause that the answer is expected to give. Measured signs (`firm`) do not change."""
        shares, changes = [], []
        for share, levels in answers_of(question, facts):
            news = {name: level for name, level in levels.items() if name not in firm}
            news = {name: level for name, level in news.items() if self.levels.get(name) != level}
            changes.append(self.change(news) / self.temperature if news else np.zeros(len(self.names)))
            shares.append(share)
        return mutual_information(self.chances, np.array(shares), np.array(changes))


def mutual_information(chances: Floats, shares: Floats, changes: Floats) -> float:
    """The mutual information in bits. `changes[a, c]`: what answer `a` adds to the log-odds of cause `c`."""
    likely = shares[:, None] * np.exp(np.clip(changes, -STEEPEST, STEEPEST))
    likely /= likely.sum(axis=0, keepdims=True)  # probability of each answer, given the cause
    joint = likely * chances[None, :]
    independent = joint.sum(axis=1, keepdims=True) * chances[None, :]
    possible = joint > 0
    bits = joint[possible] * np.log2(joint[possible] / independent[possible])
    return max(0.0, float(bits.sum()))


@cache
def _ruled_by(model: Model) -> dict[str, set[str]]:
    """For each cause, the signs that its rules use."""
    return {
        name: {*cause.requires, *(s for other in model.explained_by[name] for s in model.causes[other].seen_by)}
        for name, cause in model.causes.items()
    }


Answers = Sequence[tuple[float, Mapping[str, float]]]


def answers_of(question: Question, facts: Sequence[Telling] = ()) -> Answers:
    """(share, levels of the implied signs) for every possible answer, in combination with the facts told so far."""
    numbers = facts and any(telling.facts for telling, _ in question.hypothetical())
    return _beside(question, facts) if numbers else _alone(question.id)


@cache
def _alone(question_id: str) -> Answers:
    return _beside(all_questions()[question_id], ())


def _beside(question: Question, facts: Sequence[Telling]) -> Answers:
    return _measured(question.id, json.dumps([fact.facts for fact in facts], sort_keys=True))


@lru_cache(maxsize=512)
def _measured(question_id: str, facts: str) -> Answers:
    plain = [Telling("", fact) for fact in json.loads(facts)]
    before = {name: sign.level for name, sign in judged_signs(told_run(plain)).items()}
    return [(share, _levels(telling, plain, before)) for telling, share in all_questions()[question_id].hypothetical()]


def _levels(telling: Telling, facts: Sequence[Telling], before: Mapping[str, float]) -> dict[str, float]:
    """The levels of the signs that an answer implies, in combination with the facts told so far."""
    if telling.facts or telling.pasted:
        after = {name: sign.level for name, sign in judged_signs(told_run([*facts, telling])).items()}
        return {name: level for name, level in after.items() if before.get(name) != level}
    # An answer without facts states its signs directly: nothing needs to be measured.
    faults = {name for name in telling.signs if all_signs()[name].shows == "fault"}
    return {name: min(said["level"], WORD if name in faults else 1.0) for name, said in telling.signs.items()}
