"""From the levels of signs to probabilities: two questions, two models.

*Is something wrong?* `healthy_chance` is a logistic sum: signs of trouble take from it, signs of success add to it.
*Why, given that something is?* `causes_given_wrong` is a softmax over the causes and `unknown`; `healthy` does not
compete there, so a low chance of `healthy` alone names no cause. The score of a cause, in log-odds, is

    its prior  +  Σ weight · level   of the signs that speak for it
               −  REQUIRED · (1 − level)   of the strongest sign that it cannot be named without
               −  SEEN_ELSEWHERE · level   of a fault that was seen, if this cause is one that cannot be seen

The last is the one rule of explaining away: a fault caught in the act accounts for the dynamics that it makes, and so
takes from every cause that is only ever inferred from dynamics. Bad outcomes that no cause accounts for raise
`unknown`. A missing sign contributes nothing either way. The weights start from the causes' own FOR and are fitted
within bounds, never flipped (`benchmarks/accuracy`); every term is kept, so that `--why` can show how a confidence
comes about.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..causes import Cause
from ..signs import all_signs, by_experiment

HEALTHY = "healthy"
UNKNOWN = "unknown"

REQUIRED = 6.0
# The level assumed for a required sign that could not be measured: neither evidence of absence nor support.
UNMEASURED = 0.35
SEEN_ELSEWHERE = 3.0  # one twentieth is left
NORMAL = 0.5  # the level below which a sign is not raised
SEEN = 0.7  # the level from which a sign that shows a fault counts as having caught it
# Outcomes of the training loss itself, and the level from which they are beyond doubt.
TRAINING_FAILED = ("training-at-chance", "loss-stuck", "loss-diverged", "loss-not-finite", "loss-heads-wrong-way")
FAILED = 0.9
COST = "cost"  # the family of causes that cost time or memory and do not change what is learned
ONE_WITNESS = 0.8  # the highest confidence in a fault that one witness shows, where a claim takes two
# The highest confidence where only a setting speaks for a fault, or one measurement alone and the outcome is fine: of
# public programs that were suspected of something, most had nothing.
QUESTION = 0.5
SPEAKS = 0.5  # the log-odds from which a raised sign counts as a measurement for a cause

Basis = Literal["seen", "suspected"]


@dataclass(frozen=True)
class Parameters:
    """What is fitted: priors and weights in log-odds."""

    prior: Mapping[str, float]
    weight: Mapping[str, Mapping[str, float]]  # hypothesis -> sign -> weight; negative only against `healthy`
    about: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Term:
    """One summand of a hypothesis' score."""

    name: str
    level: float
    weight: float

    @property
    def amount(self) -> float:
        return self.level * self.weight


class Model:
    """Answers both questions for given levels."""

    def __init__(self, causes: Mapping[str, Cause], parameters: Parameters) -> None:
        # Advisory causes are never the verdict, and causes that no sign can show are never named.
        self.causes = {name: cause for name, cause in causes.items() if not cause.advisory and cause.supports}
        self.parameters = parameters

    @cached_property
    def hypotheses(self) -> list[str]:
        return [*self.causes, HEALTHY, UNKNOWN]

    def seen_level(self, levels: Mapping[str, float]) -> float:
        """The level of the clearest fault that was caught in the act and may account for the outcome; 0 if none was.

        What is wrong with the evaluation alone does not account for a training that failed.
        """
        failed = max(levels.get(sign, 0.0) for sign in TRAINING_FAILED) >= FAILED
        able = [cause for cause in self.causes.values() if not (failed and cause.misleads == "validation")]
        level = max((levels.get(sign, 0.0) for cause in able for sign in cause.caught_by), default=0.0)
        return level if level >= SEEN else 0.0

    def basis(self, name: str, levels: Mapping[str, float]) -> Basis:
        """Whether a cause was caught in the act, or is inferred from its effects."""
        cause = self.causes.get(name)
        caught = cause is not None and max((levels.get(sign, 0.0) for sign in cause.caught_by), default=0.0) >= SEEN
        return "seen" if caught else "suspected"

    def terms(self, hypothesis: str, levels: Mapping[str, float]) -> list[Term]:
        """Every summand of the hypothesis' score but the prior."""
        weights = self.parameters.weight.get(hypothesis, {})
        terms = [Term(sign, levels[sign], w) for sign, w in weights.items() if levels.get(sign)]
        cause = self.causes.get(hypothesis)
        if cause is not None:
            terms += self.fixed_terms(cause, levels)
        return terms

    def fixed_terms(self, cause: Cause, levels: Mapping[str, float]) -> list[Term]:
        """The terms that are fixed rules, not weights."""
        terms = []
        if cause.requires:
            missing = {sign: 0.0 if sign in by_experiment() else UNMEASURED for sign in cause.requires}
            strongest = max(levels.get(sign, missing[sign]) for sign in cause.requires)
            if strongest < 1.0:
                terms.append(Term("no required sign is raised", 1.0 - strongest, -REQUIRED))
        if not cause.caught_by and (level := self.seen_level(levels)):
            terms.append(Term("a fault was seen that accounts for it", level, -SEEN_ELSEWHERE))
        return terms

    def score(self, hypothesis: str, levels: Mapping[str, float]) -> float:
        prior = self.parameters.prior.get(hypothesis, 0.0)
        return prior + sum(term.amount for term in self.terms(hypothesis, levels))

    def healthy_chance(self, levels: Mapping[str, float]) -> float:
        """The probability that nothing is wrong with the program."""
        return logistic(self.score(HEALTHY, levels))

    def causes_given_wrong(self, levels: Mapping[str, float]) -> dict[str, float]:
        """The probability of every cause, and of `unknown`, given that something is wrong."""
        names = [name for name in self.hypotheses if name != HEALTHY]
        scores = {name: self.score(name, levels) for name in names}
        highest = max(scores.values())
        weights = {name: math.exp(score - highest) for name, score in scores.items()}
        total = sum(weights.values())
        return self._what_hurts_first(self._by_one_witness({n: w / total for n, w in weights.items()}, levels), levels)

    def _by_one_witness(self, chances: dict[str, float], levels: Mapping[str, float]) -> dict[str, float]:
        """A suspicion that one measurement alone speaks for has a limit; one that rests on settings is a question."""
        leading = max(chances, key=lambda name: chances[name])
        if leading == UNKNOWN or self.basis(leading, levels) == "seen":
            return chances
        measured = self.measurements(leading, levels)
        raised = any(levels.get(sign, 0.0) >= NORMAL for sign in self.causes[leading].caught_by)
        limit = ONE_WITNESS if measured else QUESTION
        return {**chances, leading: min(limit, chances[leading])} if raised or measured < 2 else chances

    def measurements(self, name: str, levels: Mapping[str, float]) -> int:
        """How many independent measurements speak for a cause: signs of one question are one, settings none."""
        units = all_signs()
        known = [units[t.name] for t in self.terms(name, levels) if t.name in units and t.amount >= SPEAKS]
        return len({unit.question for unit in known if unit.shows != "setting" and levels[unit.id] >= NORMAL})

    def _what_hurts_first(self, chances: dict[str, float], levels: Mapping[str, float]) -> dict[str, float]:
        """A suspicion that costs only time or memory never ranks before a fault that was caught in the act."""
        leading = max(chances, key=lambda name: chances[name])
        if leading == UNKNOWN or self.causes[leading].family != COST or self.basis(leading, levels) == "seen":
            return chances
        caught = [
            name for name in self.causes if self.basis(name, levels) == "seen" and self.causes[name].family != COST
        ]
        if not caught:
            return chances
        other = max(caught, key=lambda name: chances[name])
        return {**chances, leading: chances[other], other: chances[leading]}


def logistic(score: float) -> float:
    return 1.0 / (1.0 + math.exp(-max(-50.0, min(50.0, score))))


def softmax(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Row by row."""
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    normal: NDArray[np.float64] = powers / powers.sum(axis=1, keepdims=True)
    return normal
