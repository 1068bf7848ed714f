"""Multiplies the learning rate of every group at every step; schedules keep their shape."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...causes import Fix, all_causes, learning_rate, optimizer_setting
from ...observe.hook_points.hooks import Driver
from ...record import Run
from ...signs import Signs
from ...wording import num, round_figure
from .._base import Dose, Intervening, Refusal

ID = "scale-lr"
TITLE = "Scale the learning rate"
TESTS = ("lr-too-high", "lr-too-low")
SAFETY = "changes-result"
JUDGED_BY = "loss"

FURTHER = {"lr-too-high": (0.1, 3.0), "lr-too-low": (10.0, 1 / 3)}  # relative to the fix's factor: stronger, weaker


def doses(run: Run, signs: Signs, cause: str) -> Sequence[Dose] | Refusal:
    written = all_causes()[cause].fix(run, signs).sets
    old = learning_rate(run)
    if old is None or not run.optimizers:
        return Refusal("no optimizer with a learning rate was seen")
    factor = written["lr"] / old if "lr" in written else written.get("lr_factor")
    if factor is None or factor == 1:
        return Refusal("the fix proposes no other learning rate")
    wanted = [factor, *(factor * more for more in FURTHER[cause])]
    same_side = [each for each in wanted if (each < 1) == (factor < 1) and each != 1]
    several = len({group.setting("lr") for group in run.groups}) > 1
    found = {dose.text: dose for dose in (_dose(old, each, several) for each in same_side)}
    return [dose for dose in found.values() if dose.options["factor"] != 1]


def _dose(old: float, factor: float, several: bool) -> Dose:
    if several:
        return Dose({"factor": factor}, f"every learning rate times {num(factor)}")
    new = round_figure(old * factor)
    return Dose({"factor": new / old, "lr": new}, f"learning rate {num(old)} -> {num(new)}")


def fix(run: Run, signs: Signs, cause: str, dose: Dose) -> Fix | None:
    if "lr" not in dose.options:
        return None
    return optimizer_setting(run, "lr", num(float(dose.options["lr"])), "the best of the learning rates tried")


class _Scaled(Intervening):
    def __init__(self, factor: float) -> None:
        super().__init__()
        from ...probes.acting.rates import Times

        self._rates = Times(factor)

    def before_step(self, optimizer: Any) -> None:
        self._rates.before_step(optimizer)
        self.acted += 1

    def after_step(self, optimizer: Any) -> None:
        self._rates.after_step(optimizer)


def begin(options: Mapping[str, Any]) -> Driver:
    return _Scaled(float(options["factor"]))
