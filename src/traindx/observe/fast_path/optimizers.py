"""Optimizers whose steps may take the fast path: their learning rates, and the one gradient element that is read.

That one element shows a non-finite gradient: backpropagation carries it to every parameter of the layers before the one
in which it arose.
"""

from __future__ import annotations

import math
import weakref
from typing import Any

import torch

from ..metric_queue import cpu_value
from ..tensors import usual

_FEW = 16  # parameters that are searched for a gradient other than zero


class KnownOptimizer:
    """An optimizer that has stepped before. Nothing of it is kept alive: a stretch may last beyond the training."""

    __slots__ = ("number", "rates", "simple", "telling")

    def __init__(self, index: int, optimizer: Any) -> None:
        self.number = -1 - index  # as the log has it
        self.rates = rates_of(optimizer.param_groups)
        telling = telling_parameter(first_group(optimizer))
        self.telling = weakref.ref(telling)
        self.simple = len(self.rates) == 1 and self.rates[0] is not None and telling.dtype is torch.float32


def first_group(optimizer: Any) -> list[Any]:
    """The parameters of its first group that has any: scripts leave groups empty."""
    return next((group["params"] for group in optimizer.param_groups if group["params"]), [])


def rates_of(groups: list[dict[str, Any]]) -> list[Any]:
    return [_number(group.get("lr")) for group in groups]


def _number(rate: Any) -> Any:
    """A learning rate kept in a tensor changes in place, so compare its value and not the tensor."""
    value = cpu_value(rate) if isinstance(rate, torch.Tensor) else None
    return rate if value is None else value


def telling_parameter(parameters: list[Any]) -> Any:
    """The first parameter with a non-zero gradient element: reading that element shows when gradients are non-finite.

    Backpropagation ends at the first parameters. An embedding's first row or a dead unit has a zero gradient, which
    would show nothing.
    """
    ordinary = [parameter for parameter in parameters if usual(parameter)]
    for parameter in ordinary[:_FEW]:
        if parameter.grad is not None and cpu_value(parameter.grad):
            return parameter
    return ordinary[0]


def bad_gradient(optimizer: Any) -> Any:
    """A parameter whose gradient is non-finite, judged by one element.

    Checks the parameter from `telling_parameter` and the last one, because a dead unit between them can stop a
    non-finite gradient.
    """
    parameters = [parameter for parameter in first_group(optimizer) if usual(parameter)]
    for parameter in (telling_parameter(parameters), parameters[-1]) if parameters else ():
        gradient = parameter.grad
        if gradient is not None:
            value = cpu_value(gradient)
            if value is not None and not -math.inf < value < math.inf:
                return parameter
    return None
