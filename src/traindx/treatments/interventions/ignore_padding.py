"""Leaves padded positions out of the cross-entropy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...observe.hook_points.hooks import Driver
from ...record import Run
from ...record.values import number
from ...signs import Signs
from .._base import Dose, Intervening, Refusal

ID = "ignore-padding"
TITLE = "Leave padding out of the loss"
TESTS = ("padding-in-loss",)
SAFETY = "changes-result"
JUDGED_BY = "symptoms"


def doses(run: Run, signs: Signs, cause: str) -> Sequence[Dose] | Refusal:
    filler = number(run.fact("padding").get("id"))
    if filler is None:
        return Refusal("the id of the padding is unknown")
    return [Dose({"id": int(filler)}, f"cross_entropy(…, ignore_index={int(filler)})")]


class _Ignored(Intervening):
    def __init__(self, filler: int) -> None:
        super().__init__()
        self._filler = filler

    def loss_inputs(self, name: str, args: Any, kwargs: Any) -> tuple[Any, Any]:
        if name not in ("cross_entropy", "nll_loss") or len(args) > 4:
            return args, kwargs
        if kwargs.get("ignore_index", -100) != -100:
            return args, kwargs
        self.acted += 1
        return args, {**kwargs, "ignore_index": self._filler}


def begin(options: Mapping[str, Any]) -> Driver:
    return _Ignored(int(options["id"]))
