"""Ramps the learning rate up over the first steps; afterwards it is the script's own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...causes import all_causes
from ...observe.hook_points.hooks import Driver
from ...record import Run
from ...signs import Signs
from .._base import Dose, Refusal
from ._rates import Override, Overriding

ID = "warm-up-lr"
TITLE = "Ramp the learning rate up over the first steps"
TESTS = ("no-warmup",)
SAFETY = "changes-result"
JUDGED_BY = "loss"

START = 0.01  # share of the learning rate at the first step
LONGER = 3  # times the fix's own length, if that is not enough …
LARGEST_SHARE = 0.3  # … and at most this share of the run


def doses(run: Run, signs: Signs, cause: str) -> Sequence[Dose] | Refusal:
    steps = all_causes()[cause].fix(run, signs).sets.get("warmup_steps")
    if not run.optimizers or not isinstance(steps, int):
        return Refusal("no optimizer with a learning rate was seen")
    lengths = [steps, *([LONGER * steps] if LONGER * steps <= LARGEST_SHARE * run.steps else [])]
    return [Dose({"steps": n}, f"learning rate ramped up over {n} steps") for n in lengths]


class _Ramp(Override):
    def __init__(self, steps: int) -> None:
        super().__init__()
        self._steps = steps
        self._made: dict[int, int] = {}

    def rates(self, optimizer: Any) -> list[float]:
        number = self.index(optimizer)
        step = self._made[number] = self._made.get(number, -1) + 1
        share = min(1.0, START + (1.0 - START) * step / max(1, self._steps))
        return [share * float(group["lr"]) for group in optimizer.param_groups]


def begin(options: Mapping[str, Any]) -> Driver:
    return Overriding(_Ramp(int(options["steps"])))
