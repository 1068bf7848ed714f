"""Lowers the optimizer's weight decay, or turns it off."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...causes import all_causes
from ...observe.hook_points.hooks import Driver
from ...record import Run
from ...signs import Signs
from ...wording import num
from .._base import Dose, Refusal
from ._groups import GroupSettings

ID = "weaken-weight-decay"
TITLE = "Lower the weight decay"
TESTS = ("weight-decay-too-strong", "over-regularized")
SAFETY = "changes-result"
JUDGED_BY = "loss"


def doses(run: Run, signs: Signs, cause: str) -> Sequence[Dose] | Refusal:
    old = max((group.setting("weight_decay") or 0.0 for group in run.groups), default=0.0)
    if not old:
        return Refusal("no optimizer has a weight decay: something in the loss shrinks the weights")
    off = Dose({"weight_decay": 0.0}, f"weight decay {num(old)} -> 0")
    new = all_causes()[cause].fix(run, signs).sets.get("weight_decay")
    if new is None or not 0 < new < old:
        return [off]
    return [Dose({"weight_decay": new}, f"weight decay {num(old)} -> {num(new)}"), off]


def begin(options: Mapping[str, Any]) -> Driver:
    return GroupSettings({"weight_decay": float(options["weight_decay"])})
