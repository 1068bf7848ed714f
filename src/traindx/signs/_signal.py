"""How the spread of activations changes with depth before training has changed the weights."""

from __future__ import annotations

from ..record import Run
from ._depth import DepthTrend, depth_trend
from ._tables import layer_medians


def initial_spread(run: Run) -> DepthTrend | None:
    """Deviation of the outputs of layers with weights, at the first look.

    The last such layer is left out: output layers are made small, or large, on purpose.
    """
    table = run.layers("act_std")
    if not table or int(table.steps.min()) > 5:
        return None  # later looks show what training did
    names = [module.name for module in run.modules if module.order is not None and module.maps]
    return depth_trend(names[:-1], layer_medians(table, 0.0, 1.0 / len(table)))
