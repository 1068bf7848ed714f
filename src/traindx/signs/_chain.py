"""How a gradient changes along the longest chain of one nonlinearity: many layers, or a recurrent cell in time."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ..record import Run
from ._tables import median, ordered, span, typical

FEWEST = 3
SMALLEST = 1e-30  # a gradient that is gone has no logarithm


@dataclass(frozen=True)
class Chain:
    """Decades that the gradient gains on its way back from the chain's end to its beginning."""

    length: float
    start: float  # in the first fifth of the looks
    whole: float


def gradient_chain(run: Run) -> Chain | None:
    ratios = ordered(run.series("chain/gradient_ratio")).values
    length = typical(run, "chain/length")
    if len(ratios) < FEWEST or length is None:
        return None
    decades = np.log10(np.clip(ratios, SMALLEST, 1 / SMALLEST))
    start, whole = median(span(decades, 0.0, 0.2)), median(decades)
    return None if start is None or whole is None else Chain(length, start, whole)


def per_link(chain: Chain) -> float:
    """The factor from one link to the next, going back."""
    return math.pow(10.0, chain.whole / max(chain.length - 1.0, 1.0))
