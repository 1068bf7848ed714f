"""Windows and medians over series and per-layer tables; gaps, NaN and disorder do no harm."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from ..record import LayerTable, Run, Series
from ..record.types import FloatArray, IntArray


def ordered(series: Series) -> Series:
    """The finite points in order of their steps."""
    finite = series.finite
    order = np.argsort(finite.steps, kind="stable")
    return Series(series.name, finite.steps[order], finite.values[order])


def paired(one: Series, other: Series) -> tuple[FloatArray, FloatArray]:
    """The finite values of both at the steps that both have; of several at one step, the last."""
    (mine, values), (its, others) = (_last_of_each_step(ordered(series)) for series in (one, other))
    at = np.searchsorted(its, mine)
    both = at < len(its)
    both[both] = its[at[both]] == mine[both]
    return values[both], others[at[both]]


def _last_of_each_step(points: Series) -> tuple[IntArray, FloatArray]:
    last = np.append(points.steps[1:] != points.steps[:-1], True)[: len(points)]
    return points.steps[last], points.values[last]


def median(values: Iterable[float]) -> float | None:
    """The median of the finite values, or None where there are none."""
    numbers = np.asarray(values if isinstance(values, np.ndarray) else list(values), dtype=np.float64)
    finite = numbers[np.isfinite(numbers)]
    if not len(finite):
        return None
    middle = len(finite) // 2
    finite = np.partition(finite, [max(middle - 1, 0), middle])
    # Halved first: the sum of two huge values would overflow.
    return float(finite[middle] if len(finite) % 2 else finite[middle - 1] / 2 + finite[middle] / 2)


def span(values: FloatArray, begin: float, end: float) -> FloatArray:
    """The stretch from the share `begin` to the share `end` of the points; never empty unless the whole is."""
    first = min(int(len(values) * begin), max(len(values) - 1, 0))
    return values[first : max(math.ceil(len(values) * end), first + 1)]


def typical(run: Run, name: str, begin: float = 0.0, end: float = 1.0) -> float | None:
    """The median of a series over a stretch of its points."""
    return median(span(ordered(run.series(name)).values, begin, end))


def layer_medians(table: LayerTable, begin: float = 0.0, end: float = 1.0) -> dict[str, float]:
    """Each layer's median over a stretch of the looks; layers that were never measured are left out."""
    if not table:
        return {}
    rows = table.values[np.argsort(table.steps, kind="stable")]
    chosen = {name: median(span(rows[:, i], begin, end)) for i, name in enumerate(table.layers)}
    return {name: found for name, found in chosen.items() if found is not None}


def first_step_above(series: Series, limit: float) -> int | None:
    """The first step whose value is above `limit`."""
    points = ordered(series)
    above = np.flatnonzero(points.values > limit)
    return int(points.steps[above[0]]) if len(above) else None


def bins(values: FloatArray, number: int) -> list[float]:
    """Medians of `number` equal stretches, in order; fewer where there are fewer points."""
    found = [median(part) for part in np.array_split(values, max(1, min(number, len(values))))]
    return [value for value in found if value is not None]


def concordance(values: list[float]) -> float:
    """Kendall's tau of a sequence against its own order: 1 where it always rises, -1 where it always falls."""
    pairs = [(b > a) - (b < a) for i, a in enumerate(values) for b in values[i + 1 :]]
    return sum(pairs) / len(pairs) if pairs else 0.0
