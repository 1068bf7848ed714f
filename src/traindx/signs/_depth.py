"""How a per-layer quantity changes from the first executed layer to the last."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ._tables import concordance, median

# With fewer than four layers, their shapes alone can explain any factor between neighbours.
FEWEST_LAYERS = 4


@dataclass(frozen=True)
class DepthTrend:
    """`decades` is the rise in powers of ten from first to last layer by the median slope (Theil-Sen), so that one
    odd layer at either end does not decide; `order` is Kendall's tau with depth."""

    layers: tuple[str, ...]
    values: tuple[float, ...]
    decades: float
    order: float

    @property
    def factor(self) -> float:
        """The typical ratio of one layer to the one before."""
        return float(10.0 ** (self.decades / (len(self.layers) - 1)))


def depth_trend(names: Iterable[str], values: Mapping[str, float]) -> DepthTrend | None:
    """The trend over those of `names` (in order of execution) that have a positive value."""
    layers = [name for name in names if values.get(name, 0.0) > 0.0]
    if len(layers) < FEWEST_LAYERS:
        return None
    logs = [math.log10(values[name]) for name in layers]
    slope = median((b - a) / (j - i) for i, a in enumerate(logs) for j, b in enumerate(logs) if j > i)
    if slope is None:
        return None
    decades = slope * (len(logs) - 1)
    return DepthTrend(tuple(layers), tuple(values[name] for name in layers), decades, concordance(logs))
