"""How a quantity changes with depth: an exponential fitted over the layers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

FEWEST = 3


@dataclass(frozen=True)
class DepthFit:
    """Each layer has `factor` times the value of the layer before it; `explained` is the fit's R²."""

    factor: float
    explained: float
    layers: int


def depth_fit(values: Sequence[float]) -> DepthFit | None:
    """Fit the values of the layers, ordered from input to output. None with fewer than three positive values."""
    numbers = np.array([value for value in values if np.isfinite(value) and value > 0])
    if len(numbers) < FEWEST:
        return None
    depth, logs = np.arange(len(numbers)), np.log(numbers)
    slope, start = np.polyfit(depth, logs, 1)
    left = float(np.sum((logs - (slope * depth + start)) ** 2))
    whole = float(np.sum((logs - logs.mean()) ** 2))
    return DepthFit(float(np.exp(slope)), 1.0 - left / whole if whole > 0 else 1.0, len(numbers))
