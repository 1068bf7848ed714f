"""The loss along the step just taken: did the step stop short of the minimum or pass it?

On a quadratic with curvature c along a step at learning rate lr, the minimum lies at 1 / (lr · c) of the step: above 1
the step was short, below 1 it went past the minimum, below 1/2 the loss after it is higher than before
(beyond 2 / c).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from ...record.types import FloatArray
from ..unchanged import streams_unchanged, unchanged

POSITIONS = (0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0)


@dataclass(frozen=True)
class StepCurve:
    """`minimum` is in lengths of the step; infinite where the loss falls all along, NaN where it is not finite."""

    positions: FloatArray
    losses: FloatArray
    minimum: float

    @property
    def made_worse(self) -> bool:
        return bool(self.losses[list(self.positions).index(1.0)] > self.losses[0])


def loss_along_step(
    model: Any, loss: Callable[[], Any], before: Sequence[Any], positions: Sequence[float] = POSITIONS
) -> StepCurve:
    """`before` are the parameters' values before the step, in the order of `model.parameters()`; the model holds them
    after it."""
    parameters = list(model.parameters())
    if len(before) != len(parameters):
        raise ValueError(f"{len(before)} tensors given for {len(parameters)} parameters")
    where = sorted({0.0, 1.0, *positions})
    losses = []
    with unchanged(model), torch.no_grad():
        starts = [b.detach().clone() for b in before]
        steps = [p.detach() - b for p, b in zip(parameters, starts, strict=True)]
        for position in where:
            for parameter, start, step in zip(parameters, starts, steps, strict=True):
                parameter.copy_(start + position * step)
            with streams_unchanged():  # the same dropout mask at every position
                losses.append(float(loss()))
    return StepCurve(np.array(where), np.array(losses), _minimum(np.array(where), np.array(losses)))


def _minimum(where: FloatArray, losses: FloatArray) -> float:
    """By the parabola through the lowest point and its neighbours; at an end, by the three points there."""
    if not np.isfinite(losses[0]):
        return float("nan")
    finite = np.where(np.isfinite(losses), losses, np.inf)
    centre = int(np.clip(np.argmin(finite), 1, len(where) - 2))
    chosen = slice(centre - 1, centre + 2)
    if not np.isfinite(finite[chosen]).all():
        return float(where[int(np.argmin(finite))])
    bend, slope, _ = np.polyfit(where[chosen], finite[chosen], 2)
    scale = float(np.ptp(finite[chosen]))
    if bend <= 1e-9 * scale:  # straight or bent downward: no minimum on this line that can be told from here
        return float("inf") if slope < 0 or finite[-1] < finite[0] else 0.0
    return float(-slope / (2 * bend))
