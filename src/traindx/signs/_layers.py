"""Layers of the model: what they are, and how a quantity changes from the first to the last."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ..record import Run
from ..record.program import Module
from ..record.values import number
from ._tables import concordance, median

RELU_LIKE = ("ReLU", "ReLU6", "Threshold")
SQUASHING = ("Sigmoid", "Tanh", "Softsign", "Hardtanh", "Hardsigmoid", "LogSigmoid")


def mode_matters(run: Run) -> bool | None:
    """Whether train and eval mode differ for this model at all; None where the record does not say.

    Layer, group and instance norm behave alike in both, and so does dropout with p = 0.
    """
    seen = run.modes.mode_layers
    if "F.dropout" in seen:
        return True
    found = run.modules
    if found:
        return any(
            module.batch_norm or (module.dropout and number(module.settings.get("p")) != 0.0) for module in found
        )
    return any("Dropout" in name or "BatchNorm" in name for name in seen) if run.modes else None


def output_module(found: Sequence[Module], kinds: tuple[str, ...]) -> Module | None:
    """The last activation of these kinds after which no layer with weights runs: it makes the model's output."""
    executed = [module for module in found if module.order is not None]
    last_map = max((i for i, module in enumerate(executed) if module.maps or module.recurrent), default=-1)
    after = [module for module in executed[last_map + 1 :] if module.type in kinds]
    return after[-1] if after else None


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
