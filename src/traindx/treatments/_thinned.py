"""The training loss of an arm reduced to few points, for a chart of two arms."""

from __future__ import annotations

from itertools import pairwise
from typing import Literal

import numpy as np

from ..diagnosis import TrialCurve
from ..record import Run

MOST_POINTS = 120
DIGITS = 6  # more than a chart shows


def both(control: Run | None, treated: Run | None) -> tuple[TrialCurve, ...]:
    """The curves of both arms; empty if one of them has no loss."""
    if control is None or treated is None:
        return ()
    found = thinned("control", control), thinned("treated", treated)
    return found if all(curve.steps for curve in found) else ()


def thinned(label: Literal["control", "treated"], run: Run) -> TrialCurve:
    """Medians of equal blocks of steps. Non-finite losses count as infinite, so a block with half of them is None."""
    series = run.series("loss/train")
    steps, place = np.unique(series.steps, return_inverse=True)
    count = min(MOST_POINTS, len(steps))
    if not count:
        return TrialCurve(label, [], [])
    values = np.where(np.isfinite(series.values), series.values, np.inf)
    edges = [i * len(steps) // count for i in range(count + 1)]
    medians = [np.median(values[(first <= place) & (place < last)]) for first, last in pairwise(edges)]
    middles = [int(steps[(first + last) // 2]) for first, last in pairwise(edges)]
    return TrialCurve(label, middles, [float(f"{m:.{DIGITS}g}") if np.isfinite(m) else None for m in medians])
