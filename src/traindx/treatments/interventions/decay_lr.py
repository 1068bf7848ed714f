"""Lets the learning rate fall to zero along a half cosine over the trial."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from ...observe.hook_points.hooks import Driver
from ...record import Run
from ...signs import Signs
from .._base import Dose, Refusal
from ._rates import Override, Overriding

ID = "decay-lr"
TITLE = "Let the learning rate decay"
TESTS = ("lr-never-decays",)
SAFETY = "changes-result"
JUDGED_BY = "loss"


def doses(run: Run, signs: Signs, cause: str) -> Sequence[Dose] | Refusal:
    if not run.optimizers:
        return Refusal("no optimizer with a learning rate was seen")
    return [Dose({"steps": run.steps}, f"learning rate falls to zero along a cosine over {run.steps} steps")]


class _Cosine(Override):
    def __init__(self, steps: int) -> None:
        super().__init__()
        self._steps = max(1, steps)
        self._made: dict[int, int] = {}

    def rates(self, optimizer: Any) -> list[float]:
        number = self.index(optimizer)
        step = self._made[number] = self._made.get(number, -1) + 1
        share = 0.5 * (1.0 + math.cos(math.pi * min(1.0, step / self._steps)))
        return [share * float(group["lr"]) for group in optimizer.param_groups]


def begin(options: Mapping[str, Any]) -> Driver:
    return Overriding(_Cosine(int(options["steps"])))
