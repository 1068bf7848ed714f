"""Compiled functions in which an optimizer steps: hooks do not see the step, but the weights change.

If the function is only the optimizer's step, it is reported like any other step. If it is a whole training step, only
its loss is known, and only where the function returns it.
"""

from __future__ import annotations

import weakref
from typing import Any

import torch

from ..fast_path.steps import FastSteps
from ..hook_points.compilers import Compiled
from ..metric_queue import cpu_value
from ..session import Session
from ..tensors import tensors_in

ORDER = 50  # any

FEW = 4  # parameters that are asked


class Watcher:
    name = "compiled functions"

    def __init__(self, session: Session) -> None:
        self.session = session
        self._backpropagated = False  # a backward was seen since the last step
        self._steps_alone: dict[int, tuple[Compiled, weakref.ref[Any]]] = {}  # functions that are an optimizer's step
        self._stepping: Any = None  # the optimizer whose step is going on
        self._observed: set[int] = (
            set()
        )  # optimizers whose steps are observed: other changes of their weights are no steps
        self._before: list[tuple[Any, list[Any]]] = []

    def backward_end(self, loss: Any, seconds: float) -> None:
        self._backpropagated = True

    def step_begin(self, optimizer: Any, closure: bool) -> None:
        if optimizer is not self._stepping:
            self._observed.add(self.session.optimizer_index(optimizer))

    def step_end(self, optimizer: Any, closure: bool, seconds: float) -> None:
        self._backpropagated = False

    def fast_steps_ended(self, fast: FastSteps) -> None:
        self._backpropagated = fast.last_loss is not None

    def compiled_begin(self, function: Compiled) -> None:
        known = self._steps_alone.get(id(function))
        self._stepping = known[1]() if known is not None and self._backpropagated else None
        if self._stepping is not None:
            self.session.hooks.relay("step_begin", self._stepping, False)
        optimizers = [each for index, each in self.session.live_optimizers() if index not in self._observed]
        self._before = [(optimizer, _state(optimizer)) for optimizer in optimizers]

    def compiled_end(self, function: Compiled, result: Any, seconds: float) -> None:
        stepping, self._stepping = self._stepping, None
        before, self._before = self._before, []
        moved = [optimizer for optimizer, state in before if _state(optimizer) != state]
        for optimizer in moved:
            function.steps = True
            if optimizer is stepping:
                continue
            if self._backpropagated and len(moved) == 1:
                self._steps_alone[id(function)] = (function, weakref.ref(optimizer))
            else:
                self.session.not_visible(
                    f"{function.name}() is compiled and steps an optimizer: its gradients and layers are not visible"
                )
            self.session.hooks.relay(
                "step_unseen", optimizer, None if self._backpropagated else _loss_in(result), seconds
            )
            self._backpropagated = False
        if stepping is not None:
            self.session.hooks.relay("step_end", stepping, False, seconds)


def _state(optimizer: Any) -> list[Any]:
    """What changes when the optimizer steps. A compiled step may leave the tensor's version as it was."""
    parameters = [parameter for group in optimizer.param_groups for parameter in group["params"]][:FEW]
    return [(parameter._version, cpu_value(parameter)) for parameter in parameters]


def _loss_in(result: Any) -> Any:
    """The only single number that a function returned, or None."""
    numbers = [
        t for t in tensors_in(result) if isinstance(t, torch.Tensor) and t.numel() == 1 and t.is_floating_point()
    ]
    return numbers[0] if len(numbers) == 1 else None
