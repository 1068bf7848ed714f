"""Removes weight decay from Adam's gradient and applies it to the weights, as AdamW does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...observe.hook_points.hooks import Driver
from ...record import Run
from ...signs import Signs
from .._base import Dose, Intervening, Refusal

ID = "decouple-weight-decay"
TITLE = "Apply weight decay as AdamW does"
TESTS = ("adam-coupled-decay",)
SAFETY = "changes-result"
JUDGED_BY = "validation"

DECAY = 0.01  # AdamW's default, as in the fix


def doses(run: Run, signs: Signs, cause: str) -> Sequence[Dose] | Refusal:
    if not any((group.setting("weight_decay") or 0) > 0 for group in run.groups):
        return Refusal("no optimizer has a weight decay")
    return [Dose({"weight_decay": DECAY}, f"decoupled weight decay of {DECAY}")]


class _Decoupled(Intervening):
    def __init__(self, decay: float) -> None:
        super().__init__()
        self._decay = decay

    def optimizer_made(self, optimizer: Any) -> None:
        for group in optimizer.param_groups:
            if type(optimizer).__name__ == "Adam" and group.get("weight_decay"):
                group["weight_decay"] = 0.0
                group["traindx_decoupled"] = True  # torch ignores unknown settings

    def before_step(self, optimizer: Any) -> None:
        import torch

        for group in optimizer.param_groups:
            if group.get("traindx_decoupled"):
                with torch.no_grad():
                    for parameter in group["params"]:
                        if parameter.grad is not None:
                            parameter.mul_(1.0 - float(group["lr"]) * self._decay)
                self.acted += 1


def begin(options: Mapping[str, Any]) -> Driver:
    return _Decoupled(float(options["weight_decay"]))
