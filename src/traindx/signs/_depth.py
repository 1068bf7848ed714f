"""How a per-layer quantity changes from the first executed layer to the last."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ..record import Run
from ._tables import concordance, layer_medians, median

# Below four layers a factor between neighbours cannot be told from what layer shapes alone do.
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


def gradient_trends(run: Run) -> tuple[DepthTrend, DepthTrend] | None:
    """The trend of the weights' gradient norms in the first quarter of the looks, and in the whole run.

    Weight matrices only: biases before a norm and sparse embeddings have small gradients in healthy runs. Layers
    with a gradient of exactly zero are left out: that is a cut or dead path, not decay with depth.
    """
    names = [p.name for p in run.parameters if p.matrix and p.ran and p.trains]
    table = run.layers("grad_norm")
    early = depth_trend(names, layer_medians(table, 0.0, 0.25))
    whole = depth_trend(names, layer_medians(table))
    return None if early is None or whole is None else (early, whole)


def lost_half_way(run: Run) -> float:
    """Decades from the largest gradient norm in the first half of the model to the typical one of its last weights.

    Parameters of any kind count: within a residual block, or before an attention's scores, weights may have next to no
    gradient while the way past them has all of it. What vanishes with depth is small in all that comes early.
    """
    norms = layer_medians(run.layers("grad_norm"))
    seen = [p for p in run.parameters if p.ran and p.trains and norms.get(p.name, 0.0) > 0.0]
    weights = [p for p in seen if p.matrix]
    if len(weights) < FEWEST_LAYERS:
        return 0.0
    middle = weights[len(weights) // 2].depth
    late = median(norms[p.name] for p in weights[-max(1, len(weights) // 4) :])
    early = max((norms[p.name] for p in seen if p.depth < middle), default=0.0)
    return math.log10(late / early) if late and early else 0.0
