"""Stops updating the weights at the step at which the validation loss was lowest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...observe.hook_points.hooks import Driver
from ...record import Run
from ...signs import Signs
from ...wording import num
from .._base import Dose, Refusal
from ._rates import Override, Overriding

ID = "stop-early"
TITLE = "Stop when the validation loss is lowest"
TESTS = ("overfitting",)
SAFETY = "safe"
JUDGED_BY = "validation"
LEAVES = ("generalisation-gap",)  # measured at the lowest validation loss, which early stopping does not change

LAST = 0.9  # share of the steps: a minimum after it leaves nothing to gain


def doses(run: Run, signs: Signs, cause: str) -> Sequence[Dose] | Refusal:
    curve = run.series("loss/validation").finite
    if not run.optimizers or len(curve) < 3:
        return Refusal("there are too few evaluations to find the lowest validation loss")
    lowest = int(np.argmin(curve.values))
    step = int(curve.steps[lowest])
    if step < 1 or step > LAST * run.steps:
        return Refusal("the validation loss is lowest at the beginning or the end of the run")
    return [
        Dose(
            {"steps": step}, f"weights kept from step {step}, where validation was lowest ({num(curve.values[lowest])})"
        )
    ]


class _Stopped(Override):
    """The steps continue, so that the script evaluates as before, but with a learning rate of zero."""

    def __init__(self, steps: int) -> None:
        super().__init__()
        self._steps = steps
        self._made: dict[int, int] = {}

    def rates(self, optimizer: Any) -> list[float]:
        number = self.index(optimizer)
        made = self._made[number] = self._made.get(number, -1) + 1
        return [float(group["lr"]) if made < self._steps else 0.0 for group in optimizer.param_groups]


def begin(options: Mapping[str, Any]) -> Driver:
    return Overriding(_Stopped(int(options["steps"])))
