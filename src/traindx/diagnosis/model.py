"""From the levels of signs to probabilities: two questions, two models.

*Is something wrong?* `healthy_chance` is a logistic sum: signs of trouble take from it, signs of success add to it.
*Why, given that something is?* `causes_given_wrong` is a softmax over the causes and `unknown`; `healthy` does not
compete there, so a low chance of `healthy` alone names no cause. The score of a cause, in log-odds, is

    its prior  +  Σ weight · level   of the signs that speak for it
               −  Σ weight · level   of the signs that speak against it
               −  REQUIRED · (1 − level)   of the strongest sign that it cannot be named without
               −  EXPLAINED · level   of a seen fault that explains it (a seen wiring fault outranks what it imitates)

Bad outcomes that no cause accounts for raise `unknown`. A missing sign contributes nothing either way. The weights
start from the causes' own FOR and AGAINST and are fitted within bounds, never flipped (`fitting.py`); every term is
kept, so that `--why` can show how a confidence comes about.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
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
EXPLAINED = 3.0
NORMAL = 0.5  # the level below which a sign is not raised
SEEN = 0.7  # the level from which a sign that shows a fault counts as having caught it

TELLING = 1.0  # the stated weight from which a sign counts as evidence for this very cause
TYPICAL = 1.5  # the same for an outcome, which several causes may share
COST = "cost"  # the family of causes that cost time or memory and do not change what is learned
POSSIBLY = 0.39  # the highest confidence in a cause without evidence of its own, or after a few steps

Basis = Literal["seen", "suspected"]
Claims = Sequence[tuple[float, float]]


@dataclass(frozen=True)
class Parameters:
    """What is fitted: priors and weights in log-odds, and corrections that make confidences hold.

    The temperature scales all of them. The confidence in the leading cause is then replaced by how often such a claim,
    on the same basis, was right on held-out programs (`claims`: pairs of claim and share, linear between). For a
    suspicion that share is shifted by how much more or less often suspicions of this very cause were right (`offsets`,
    in log-odds), and never exceeds `bounds`: how often such suspicions were right on field programs.
    """

    prior: Mapping[str, float]
    weight: Mapping[str, Mapping[str, float]]  # hypothesis -> sign -> weight, negative where it speaks against
    temperature: Mapping[str, float] = field(default_factory=dict)  # by kind of run: "observed", "log"
    claims: Mapping[str, Mapping[str, Claims]] = field(default_factory=dict)  # kind of run -> basis -> claims
    offsets: Mapping[str, Mapping[str, float]] = field(default_factory=dict)  # kind of run -> cause -> log-odds
    bounds: Mapping[str, Mapping[str, float]] = field(default_factory=dict)  # kind of run -> cause -> at most
    about: Mapping[str, Any] = field(default_factory=dict)
    unmeasured: float = UNMEASURED
    # The share of a sign's weight that a cause loses if the sign is normal. Fitted weights do not need it.
    absence: float = 0.0


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

    @cached_property
    def explained_by(self) -> dict[str, list[str]]:
        """For each cause, the causes that imitate it."""
        found: dict[str, list[str]] = {name: [] for name in self.causes}
        for name, cause in self.causes.items():
            for imitated in cause.explains:
                if imitated in found:
                    found[imitated].append(name)
        return found

    def seen_level(self, name: str, levels: Mapping[str, float]) -> float:
        return max((levels.get(sign, 0.0) for sign in self.causes[name].seen_by), default=0.0)

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
            if self.parameters.absence:
                terms += [Term(s, -a, w) for s, w in weights.items() if (a := self.absence(s, w, levels))]
            terms += self.fixed_terms(cause, levels)
        return terms

    def absence(self, sign: str, weight: float, levels: Mapping[str, float]) -> float:
        """How normal a supporting sign is, times the weight of absence; 0 if the sign is missing."""
        level = levels.get(sign)
        if level is None or weight <= 0 or level >= NORMAL:
            return 0.0
        return self.parameters.absence * (1.0 - level / NORMAL)

    def fixed_terms(self, cause: Cause, levels: Mapping[str, float]) -> list[Term]:
        """The terms that are fixed rules, not weights."""
        terms = []
        if cause.requires:
            missing = {sign: 0.0 if sign in by_experiment() else self.parameters.unmeasured for sign in cause.requires}
            strongest = max(levels.get(sign, missing[sign]) for sign in cause.requires)
            if strongest < 1.0:
                terms.append(Term("no required sign is raised", 1.0 - strongest, -REQUIRED))
        for other in self.explained_by[cause.id]:
            level = self.seen_level(other, levels)
            if level > 0.5:
                terms.append(Term(f"explained by {other}", level, -EXPLAINED))
        return terms

    def score(self, hypothesis: str, levels: Mapping[str, float]) -> float:
        prior = self.parameters.prior.get(hypothesis, 0.0)
        return prior + sum(term.amount for term in self.terms(hypothesis, levels))

    def healthy_chance(self, levels: Mapping[str, float]) -> float:
        """The probability that nothing is wrong with the program."""
        return logistic(self.score(HEALTHY, levels))

    def causes_given_wrong(self, levels: Mapping[str, float], kind: str) -> dict[str, float]:
        """The calibrated probability of every cause, and of `unknown`, given that something is wrong."""
        temperature = self.parameters.temperature.get(kind, 1.0)
        names = [name for name in self.hypotheses if name != HEALTHY]
        scores = {name: self.score(name, levels) / temperature for name in names}
        highest = max(scores.values())
        weights = {name: math.exp(score - highest) for name, score in scores.items()}
        total = sum(weights.values())
        chances = self._what_hurts_first({name: weight / total for name, weight in weights.items()}, levels)
        leading = max(chances, key=lambda name: chances[name])
        basis = self.basis(leading, levels)
        chances = calibrate(chances, self.parameters.claims.get(kind, {}).get(basis, ()))
        if basis == "seen" or leading == UNKNOWN:
            return chances
        held = self._as_held(chances, leading, kind)
        return held if self.has_evidence(leading, levels) else at_most(held, leading, POSSIBLY)

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

    def has_evidence(self, name: str, levels: Mapping[str, float]) -> bool:
        """Whether any evidence is specific to this cause: "nothing was learned" says that something is wrong, not what.

        An outcome counts if the cause names it as typical, as overfitting does with a rising validation loss.
        """
        units = all_signs()
        least = {s: TYPICAL if s in units and units[s].shows == "outcome" else TELLING for s in levels}
        return any(
            w >= least.get(s, TELLING) and levels.get(s, 0.0) >= 0.3 for s, w in self.causes[name].supports.items()
        )

    def _as_held(self, chances: Mapping[str, float], leading: str, kind: str) -> dict[str, float]:
        """Limits a suspicion to how often suspicions of this cause were right. No other cause gains from it."""
        claimed = chances[leading]
        offset = self.parameters.offsets.get(kind, {}).get(leading, 0.0)
        held = logistic(log_odds(claimed) + offset)
        held = min(held, self.parameters.bounds.get(kind, {}).get(leading, 1.0))
        second = max((chance for name, chance in chances.items() if name != leading), default=0.0)
        rest = (1.0 - held) / (1.0 - claimed) if claimed < 1.0 else 1.0
        if held < claimed or second * rest > held:  # the order stays as it is
            rest = min(1.0, held / second) if second > 0 else 1.0
        return {name: held if name == leading else chance * rest for name, chance in chances.items()}


def at_most(chances: Mapping[str, float], leading: str, most: float) -> dict[str, float]:
    """The probabilities with the leading one bounded. The order stays, and no other cause gains."""
    if chances[leading] <= most:
        return dict(chances)
    return {name: most if name == leading else min(chance, most) for name, chance in chances.items()}


def logistic(score: float) -> float:
    return 1.0 / (1.0 + math.exp(-max(-50.0, min(50.0, score))))


def log_odds(chance: float) -> float:
    kept = min(max(chance, 1e-9), 1.0 - 1e-9)
    return math.log(kept / (1.0 - kept))


def calibrate(chances: Mapping[str, float], claims: Claims) -> dict[str, float]:
    """The probabilities with the leading one replaced by how often such a claim was right. The order stays."""
    if not claims:
        return dict(chances)
    leading = max(chances, key=lambda name: chances[name])
    claimed = chances[leading]
    rest = 1.0 - claimed
    second = max((chance for name, chance in chances.items() if name != leading), default=0.0)
    if rest <= 0.0:
        return dict(chances)
    held = float(np.interp(claimed, [claim for claim, _ in claims], [share for _, share in claims]))
    held = max(held, second / (rest + second))
    return {name: held if name == leading else chance * (1.0 - held) / rest for name, chance in chances.items()}


def softmax(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Row by row."""
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    normal: NDArray[np.float64] = powers / powers.sum(axis=1, keepdims=True)
    return normal
