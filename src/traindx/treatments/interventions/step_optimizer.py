"""Steps the optimizer after each backward, for a script that never does."""

from __future__ import annotations

import weakref
from collections.abc import Mapping, Sequence
from typing import Any

from ...observe.hook_points.hooks import Driver
from ...record import Run
from ...signs import Signs
from .._base import Dose, Intervening, Refusal

ID = "step-optimizer"
TITLE = "Step the optimizer after each backward pass"
TESTS = ("params-not-in-optimizer",)
SAFETY = "changes-result"
JUDGED_BY = "loss"


def doses(run: Run, signs: Signs, cause: str) -> Sequence[Dose] | Refusal:
    if not run.optimizers:
        return Refusal("no optimizer was made")
    if any(float(made.facts.get("steps") or 0) for made in run.optimizers):
        return Refusal("the optimizer is stepped")
    return [Dose({}, "optimizer.step() and zero_grad() after every backward")]


class _Stepping(Intervening):
    def __init__(self) -> None:
        super().__init__()
        self._optimizers: weakref.WeakSet[Any] = weakref.WeakSet()
        self._pending = False

    def optimizer_made(self, optimizer: Any) -> None:
        self._optimizers.add(optimizer)
        clear = optimizer.zero_grad

        def step_and_clear(*args: Any, **kwargs: Any) -> None:
            self._step()  # before the gradients are cleared
            clear(*args, **kwargs)

        optimizer.zero_grad = step_and_clear

    def before_backward(self, loss: Any) -> None:
        self._pending = True

    def forward_inputs(self, root: Any, args: Any, kwargs: Any) -> tuple[Any, Any]:
        self._step()  # for a script that never clears its gradients
        return args, kwargs

    def after_step(self, optimizer: Any) -> None:
        self._pending = False

    def _step(self) -> None:
        if not self._pending:
            return
        self._pending = False
        for optimizer in list(self._optimizers):
            optimizer.step()
            optimizer.zero_grad()
            self.acted += 1


def begin(options: Mapping[str, Any]) -> Driver:
    return _Stepping()
