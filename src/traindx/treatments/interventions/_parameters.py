"""Gives an optimizer the parameters that it lacks."""

from __future__ import annotations

import weakref
from typing import Any

from .._base import Intervening


class Adding(Intervening):
    """Before a step, the optimizer gets the parameters of the trained models that have a gradient and that no optimizer
    holds. They join its last group: a group of their own would upset schedulers, which count groups."""

    def __init__(self) -> None:
        super().__init__()
        self._roots: weakref.WeakSet[Any] = weakref.WeakSet()
        self._optimizers: weakref.WeakSet[Any] = weakref.WeakSet()

    def optimizer_made(self, optimizer: Any) -> None:
        self._optimizers.add(optimizer)

    def model_ready(self, root: Any) -> None:
        self._roots.add(root)

    def before_step(self, optimizer: Any) -> None:
        self._optimizers.add(optimizer)
        if len(self._optimizers) > 1:
            self.note = "there are several optimizers: which one a parameter belongs to is not known"
            return
        held = {id(p) for group in optimizer.param_groups for p in group["params"]}
        for root in self._roots:
            for parameter in root.parameters():
                if parameter.grad is not None and id(parameter) not in held:
                    held.add(id(parameter))
                    optimizer.param_groups[-1]["params"].append(parameter)
                    self.acted += 1
