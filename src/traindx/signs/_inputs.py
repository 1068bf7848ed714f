"""Input statistics, and whether the model scales its inputs itself."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from ..record import Run
from ..record.values import number, text


def real_inputs(run: Run, part: str) -> Mapping[str, Any] | None:
    """The statistics of floating-point inputs; None for token ids and the like, whose size means nothing."""
    found = run.fact(f"data/{part}")
    kind = text(found.get("dtype"))
    return None if not found or "int" in kind or "bool" in kind or _looked_up(run) else found


def _looked_up(run: Run) -> bool:
    """Whether inputs are floats that only serve as row numbers of embeddings: no layer multiplies them by a weight."""
    embeds = any(module.type.startswith("Embedding") and module.order is not None for module in run.modules)
    return embeds and not first_layers(run)


def normalises_first(run: Run) -> bool:
    """Whether a norm layer runs before the first layer with weights, so that the scale of inputs does not matter."""
    for module in run.modules:
        if module.order is not None and (module.norm or module.maps or module.recurrent):
            return module.norm
    return False


def first_layers(run: Run) -> list[Mapping[str, Any]]:
    """Statistics of the inputs of the first layers with weights, after any scaling inside the model."""
    return run.entries("first_layers")


def size_within(run: Run) -> float | None:
    """The root mean square of those inputs; of several layers, the one farthest from 1."""
    sizes = [size for layer in first_layers(run) if (size := number(layer.get("rms")) or 0.0) > 0]
    return max(sizes, key=lambda size: abs(math.log(size)), default=None)


def root_mean_square(stats: Mapping[str, Any]) -> float | None:
    mean, spread = number(stats.get("mean")), number(stats.get("std"))
    return None if mean is None or spread is None else math.hypot(mean, spread)
