"""Shares of the most common class, and how scores rank samples where every prediction is that class."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ..record import Run
from ..record.values import histogram, mapping, number, text
from ._base import ramp

FEWEST_RARER = 10


@dataclass(frozen=True)
class Ranking:
    """The share of pairs (one rare, one common case) that the scores rank correctly: the area under the ROC curve."""

    share: float
    rarer: float

    @property
    def weak(self) -> float:
        """0 for a guess or a strong signal, 1 where it is surely better than a guess and too weak to change answers.

        Two standard errors are taken off, each at most that of so many coin tosses.
        """
        error = math.sqrt(max(self.share * (1 - self.share), 0.0) / self.rarer)
        return ramp(self.share - 2 * error, 0.52, 0.6) * ramp(self.share, 0.8, 0.7)


def ranking(run: Run) -> Ranking | None:
    found = mapping(run.fact("targets/train").get("ranking"))
    share, rarer = number(found.get("share")), number(found.get("rarer"))
    return None if share is None or rarer is None or rarer < FEWEST_RARER else Ranking(share, rarer)


def majority(counts: dict[str, float]) -> tuple[str, float] | None:
    """(class, share) of the most common class."""
    total = sum(counts.values())
    if not counts or not 0 < total < 1e300:
        return None
    name = max(counts, key=lambda found: counts[found])
    return name, counts[name] / total


def label_counts(run: Run) -> dict[str, float] | None:
    """Training targets by class; None where targets are no classes (values, tokens)."""
    targets = run.fact("targets/train")
    kind = text(targets.get("kind"))
    counts = histogram(targets.get("histogram"))
    return counts if counts and kind in ("class ids", "probabilities", "") else None
