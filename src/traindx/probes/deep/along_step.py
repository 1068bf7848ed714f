"""The loss along the last step: did the step stop short of the minimum or go past it?

On a quadratic with curvature c, a step of gradient descent with learning rate lr has the minimum at 1 / (lr · c) of its
length. Above 1 the step was too short, below 1 it went past the minimum, and below 1/2 (lr > 2 / c) the loss is higher
after the step than before it.
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
    """`minimum` is in lengths of the step: infinite if the loss falls all the way, NaN if it starts non-finite."""

    positions: FloatArray
    losses: FloatArray
    minimum: float

    @property
    def made_worse(self) -> bool:
        return bool(self.losses[list(self.positions).index(1.0)] > self.losses[0])


def loss_along_step(
    model: Any, loss: Callable[[], Any], before: Sequence[Any], positions: Sequence[float] = POSITIONS
) -> StepCurve:
    """`before` holds the parameters before the step, in the order of `model.parameters()`. The model holds those after
    the step."""
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
    """The minimum of the parabola through the lowest point and its neighbours (at an end, the last three points)."""
    if not np.isfinite(losses[0]):
        return float("nan")
    finite = np.where(np.isfinite(losses), losses, np.inf)
    centre = int(np.clip(np.argmin(finite), 1, len(where) - 2))
    chosen = slice(centre - 1, centre + 2)
    if not np.isfinite(finite[chosen]).all():
        return float(where[int(np.argmin(finite))])
    bend, slope, _ = np.polyfit(where[chosen], finite[chosen], 2)
    scale = float(np.ptp(finite[chosen]))
    if bend <= 1e-9 * scale:  # straight or concave: the parabola has no minimum
        return float("inf") if slope < 0 or finite[-1] < finite[0] else 0.0
    return float(-slope / (2 * bend))
