"""The value of a question: the information that its answer is expected to give about the cause.

Answers become a record, under the same names that observers and readers write (docs/record.md). The fact `told`
separates what was said from what was measured. Pasted losses are read by the same readers as any log. Answers never
replace what a record already contains.

`causes_behind` gives the probability of each cause behind a condition, and an answer changes it through the signs that
it implies. The share of an answer among people who ask, times how much it raises a cause, is the probability of that
answer under that cause; the mutual information between answer and cause follows. The cause `unknown` is left out,
because questions are meant to separate the known causes.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..causes import all_causes
from ..conditions import Finding
from ..diagnosis import behind, model_for
from ..diagnosis.model import Model
from ..diagnosis.parameters import stated
from ..readers import ReaderError, principal, read, read_text
from ..record import Run, RunBuilder
from ..signs import WORD, Signs, all_signs, measure_all
from .questions import AnswerError, Question, Telling, all_questions

SOURCE = "what you said"
KIND = "interview"
# Facts that are lists of entries, with the defaults of an entry. Answers fill in the first entry.
ENTRIES: Mapping[str, Mapping[str, Any]] = {
    "optimizers": {"steps": 1},
    "loaders": {"role": "train"},
    "models": {"modules": []},
    "losses": {"phase": "train"},
}
SERIES = ("grad_norm",)  # facts that become series over steps
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*(?:e[-+]?\d+)?|\.\d+(?:e[-+]?\d+)?|nan|inf(?:inity)?)(?![\w.])", re.IGNORECASE)
_PLAIN = re.compile(
    rf"\s*(?:\[|\()?\s*{_NUMBER.pattern}(?:[\s,;]+{_NUMBER.pattern})*[\s,;]*(?:\]|\))?\s*", re.IGNORECASE
)


def base_run(source: str) -> Run:
    """The run at `source`, read again only if the file has changed. Raises `ReaderError` or `RecordError`."""
    path = Path(source)
    changed = path.stat().st_mtime_ns if path.exists() else 0
    return _read(source, changed)


@lru_cache(maxsize=4)
def _read(source: str, changed: int) -> Run:  # noqa: ARG001 (the modification time is part of the cache key)
    return principal(read(source))


def told_run(tellings: Iterable[Telling], base: Run | None = None) -> Run:
    """The record of an interview; with `base`, a copy of that run with the answers added."""
    facts: dict[str, Any] = {}
    signs: dict[str, Any] = {}
    builder = RunBuilder(base.source if base else SOURCE, base.kind if base else KIND)
    held = _copy(base, builder) if base else set()
    for telling in tellings:
        for key, value in telling.facts.items():
            facts[key] = {**facts.get(key, {}), **value} if key in ENTRIES else value
        signs |= telling.signs
        if telling.pasted and base is None:
            held |= _copy(read_pasted(telling.pasted), builder)
    facts = {key: value for key, value in facts.items() if key not in held}
    _batches(facts)
    names = set()
    for key, value in facts.items():
        names.add(key)
        if key in SERIES:
            builder.series(key, range(len(value)), value)
        elif key in ENTRIES:
            builder.fact(key, [{**ENTRIES[key], **value}])
        else:
            builder.fact(key, value)
    loader = facts.get("loaders", {})
    if "batch_size" in loader and "batch_size" not in held:
        builder.series("batch_size", [0], [loader["batch_size"]])
        names.add("batch_size")
    rate = facts.get("optimizers", {}).get("groups", [{}])[0].get("lr")
    if rate is not None and "lr" not in held:
        builder.series("lr", [0], [rate])
        names.add("lr")
    if signs or names:
        builder.fact("told", {"facts": sorted(names), "signs": signs})
    return builder.build()


def read_pasted(text: str) -> Run:
    """The run in pasted log lines. Plain numbers are read as training losses in order.

    Raises `AnswerError` (one line).
    """
    if _PLAIN.fullmatch(text):
        values = [float(found) for found in _NUMBER.findall(text)]
        text = "\n".join(f"step {i} loss: {value:.12g}" for i, value in enumerate(values))
    try:
        run = principal(read_text(f"{text}\n", "this"))
    except ReaderError as error:
        raise AnswerError(f"{error}: paste lines of your log, or the losses as plain numbers") from None
    if not run.series("loss/train") and not run.series("loss/validation"):
        raise AnswerError("no loss was found in these lines: paste lines with a loss, or plain numbers")
    return run


def _copy(run: Run, builder: RunBuilder) -> set[str]:
    """Copy all of `run` into the builder. Returns the names of its facts and series."""
    for key, value in run.facts.items():
        builder.fact(key, value)
    builder.measurements_of(run)
    for event in run.events:
        builder.event(event.kind, event.step, **event.data)
    return {*(key for key, value in run.facts.items() if value), *run.series_names}


def _batches(facts: dict[str, Any]) -> None:
    """Add the number of batches per epoch, if both sizes are known."""
    loader = facts.get("loaders", {})
    if loader.get("size") and loader.get("batch_size"):
        loader["batches"] = math.ceil(loader["size"] / loader["batch_size"])


Floats = NDArray[np.float64]
UNKNOWN = "unknown"


def causes_behind(condition: Finding, run: Run, levels: Mapping[str, float]) -> dict[str, float]:
    """The probability of each cause, and of `unknown`, behind this condition, by the rates of `diagnosis.behind`.

    The fitted weights rest on what observers measure inside a run. What somebody said is worth what an engineer would
    make of it: the weights that the causes state.
    """
    return behind(condition, _spoken() if run.told else model_for(run)[0], levels)


@cache
def _spoken() -> Model:
    return Model(all_causes(), stated(all_causes()))


def ranked(
    questions: Sequence[Question], signs: Signs, condition: Finding, said: Sequence[Telling] = ()
) -> list[tuple[float, Question]]:
    """(bits, question), ordered by bits per effort of answering, the best first.

    `said`: the answers so far, because some numbers mean something only together (parameters and samples).
    """
    now = {name: sign.level for name, sign in signs.items()}
    firm = {name for name, sign in signs.items() if not sign.values.get("told")}
    view = View(condition, now)
    facts = [telling for telling in said if telling.facts]
    worth = [(view.expected_information(question, firm, facts), question) for question in questions]
    return sorted(worth, key=lambda item: (-item[0] / item[1].effort, item[1].id))


class View:
    """The probabilities of the causes behind a condition at given levels of signs."""

    def __init__(self, condition: Finding, levels: Mapping[str, float]) -> None:
        self._condition = condition
        self._levels = levels
        self._run = told_run([Telling("", {"steps": 1})])
        self.chances = self.chances_after({})

    def chances_after(self, news: Mapping[str, float]) -> Floats:
        """The probabilities of the known causes once these levels are known as well."""
        found = causes_behind(self._condition, self._run, {**self._levels, **news})
        known = np.array([chance for name, chance in found.items() if name != UNKNOWN])
        normal: Floats = known / known.sum()
        return normal

    def expected_information(self, question: Question, firm: set[str], facts: Sequence[Telling] = ()) -> float:
        """The bits about the cause that the answer is expected to give. Measured signs (`firm`) do not change."""
        shares, after = [], []
        for share, levels in answers_of(question, facts):
            news = {name: level for name, level in levels.items() if name not in firm}
            news = {name: level for name, level in news.items() if self._levels.get(name) != level}
            after.append(self.chances_after(news) if news else self.chances)
            shares.append(share)
        return mutual_information(self.chances, np.array(shares), np.log(np.array(after) / self.chances))


def mutual_information(chances: Floats, shares: Floats, changes: Floats) -> float:
    """The mutual information in bits. `changes[a, c]`: what answer `a` adds to the log-odds of cause `c`."""
    likely = shares[:, None] * np.exp(changes)
    likely /= likely.sum(axis=0, keepdims=True)  # probability of each answer, given the cause
    joint = likely * chances[None, :]
    independent = joint.sum(axis=1, keepdims=True) * chances[None, :]
    possible = joint > 0
    bits = joint[possible] * np.log2(joint[possible] / independent[possible])
    return max(0.0, float(bits.sum()))


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
    before = {name: sign.level for name, sign in measure_all(told_run(plain)).items()}
    return [(share, _levels(telling, plain, before)) for telling, share in all_questions()[question_id].hypothetical()]


def _levels(telling: Telling, facts: Sequence[Telling], before: Mapping[str, float]) -> dict[str, float]:
    """The levels of the signs that an answer implies, in combination with the facts told so far."""
    if telling.facts or telling.pasted:
        after = {name: sign.level for name, sign in measure_all(told_run([*facts, telling])).items()}
        return {name: level for name, level in after.items() if before.get(name) != level}
    # An answer without facts states its signs directly: nothing needs to be measured.
    faults = {name for name in telling.signs if all_signs()[name].shows == "fault"}
    return {name: min(said["level"], WORD if name in faults else 1.0) for name, said in telling.signs.items()}
