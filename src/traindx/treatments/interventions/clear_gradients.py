"""Clears the gradients of an optimizer's parameters after each of its steps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...observe.hook_points.hooks import Driver
from ...record import Run
from ...signs import Signs
from .._base import Dose, Intervening, Refusal

ID = "clear-gradients"
TITLE = "Clear the gradients after each step"
TESTS = ("missing-zero-grad",)
SAFETY = "safe"
JUDGED_BY = "loss"


def doses(run: Run, signs: Signs, cause: str) -> Sequence[Dose] | Refusal:
    if not run.optimizers:
        return Refusal("no optimizer was seen: the script updates its weights by hand")
    return [Dose({}, "optimizer.zero_grad() after every optimizer.step()")]


class _Clearing(Intervening):
    def after_step(self, optimizer: Any) -> None:
        held = [p for group in optimizer.param_groups for p in group["params"] if p.grad is not None]
        for parameter in held:
            parameter.grad = None
        self.acted += bool(held)


def begin(options: Mapping[str, Any]) -> Driver:
    return _Clearing()
