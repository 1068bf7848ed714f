"""Adds missing parameters to an optimizer."""

from __future__ import annotations

import weakref
from typing import Any

from .._base import Intervening


class Adding(Intervening):
    """Before a step, adds the models' parameters that have a gradient but are not in the optimizer. They join its last
    group, because a new group would break schedulers, which count groups."""

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
            self.note = "there are several optimizers, and it is unknown which one a parameter belongs to"
            return
        held = {id(p) for group in optimizer.param_groups for p in group["params"]}
        for root in self._roots:
            for parameter in root.parameters():
                if parameter.grad is not None and id(parameter) not in held:
                    held.add(id(parameter))
                    optimizer.param_groups[-1]["params"].append(parameter)
                    self.acted += 1
