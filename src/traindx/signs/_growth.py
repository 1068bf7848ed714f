"""Whether something grows all through a run, and by how much."""

from __future__ import annotations

from dataclasses import dataclass

from ..record import Run, Series
from ._tables import bins, concordance, ordered, span

STRETCHES = 6


@dataclass(frozen=True)
class Growth:
    first: float
    last: float
    order: float  # Kendall's tau of the medians of six stretches: 1 where each is above the one before
    lasting: bool  # both halves grow: neither a warm-up that levels off nor a machine that got busy at the end
    steps: int

    @property
    def ratio(self) -> float:
        return self.last / self.first if self.first > 0 else 1.0


def growth(run: Run, name: str, skip: float, fewest: int = 12) -> Growth | None:
    """Growth after the first `skip` share of the points, where caches fill and machines warm up.

    Points at the very first step are left out: they stem from before training, when modules are loaded.
    """
    points = ordered(run.series(name))
    begun = points.steps > (points.steps[0] if points else 0)
    points = Series(name, points.steps[begun], points.values[begun])
    values = span(points.values, skip, 1.0)
    if len(values) < max(fewest, STRETCHES) or not values.min() > 0:
        return None
    levels = bins(values, STRETCHES)
    middle = (levels[STRETCHES // 2 - 1] + levels[STRETCHES // 2]) / 2
    early, late = middle - levels[0], levels[-1] - middle
    lasting = late >= early / 3 and early >= late / 10
    steps = span(points.steps.astype(float), skip, 1.0)
    return Growth(levels[0], levels[-1], concordance(levels), bool(lasting), int(steps[-1] - steps[0]))
