"""Adds decoupled weight decay against overfitting."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...observe.hook_points.hooks import Driver
from ...record import Run
from ...signs import Signs
from .._base import Dose, Intervening, Refusal

ID = "add-weight-decay"
TITLE = "Add weight decay"
TESTS = ("overfitting",)
SAFETY = "changes-result"
JUDGED_BY = "validation"
DECISIVE = 0.5

SHRINK = 1e-3  # each step shrinks the weights by this share


def doses(run: Run, signs: Signs, cause: str) -> Sequence[Dose] | Refusal:
    if not run.optimizers:
        return Refusal("no optimizer was seen: the script updates its weights by hand")
    return [Dose({"shrink": SHRINK}, f"weights shrunk by {SHRINK:g} at each step, as decoupled weight decay does")]


class _Decayed(Intervening):
    def __init__(self, shrink: float) -> None:
        super().__init__()
        self._shrink = shrink

    def before_step(self, optimizer: Any) -> None:
        import torch

        with torch.no_grad():
            for group in optimizer.param_groups:
                for parameter in group["params"]:
                    if parameter.grad is not None and parameter.dim() > 1:  # biases and norms do not decay
                        parameter.mul_(1.0 - self._shrink)
                        self.acted += 1


def begin(options: Mapping[str, Any]) -> Driver:
    return _Decayed(float(options["shrink"]))
