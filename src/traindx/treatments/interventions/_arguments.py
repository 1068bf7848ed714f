"""Finds and replaces tensors among the arguments of a model or a loss function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

REGRESSION = ("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss")


def with_first_float(args: Any, kwargs: Any, change: Callable[[Any], Any]) -> tuple[Any, Any]:
    """The arguments with `change` applied to the first floating-point tensor among them."""
    import torch

    for i, value in enumerate(args):
        if isinstance(value, torch.Tensor) and value.is_floating_point():
            return (*args[:i], change(value), *args[i + 1 :]), kwargs
    for name, value in kwargs.items():
        if isinstance(value, torch.Tensor) and value.is_floating_point():
            return args, {**kwargs, name: change(value)}
    return args, kwargs


def loss_pair(args: Any, kwargs: Any) -> tuple[Any, Any]:
    """The input and the target among the arguments of a loss function."""
    given = args[0] if args else kwargs.get("input")
    target = args[1] if len(args) > 1 else kwargs.get("target")
    return given, target


def with_pair(args: Any, kwargs: Any, given: Any, target: Any) -> tuple[Any, Any]:
    """The arguments of a loss function with input and target replaced."""
    if len(args) > 1:
        return (given, target, *args[2:]), kwargs
    if args:
        return (given,), {**kwargs, "target": target}
    return args, {**kwargs, "input": given, "target": target}


def trains(root: Any) -> bool:
    """Whether an outermost module is a model and not a loss function, which is also a module."""
    return next(root.parameters(), None) is not None


def floating(value: Any) -> bool:
    import torch

    return isinstance(value, torch.Tensor) and value.is_floating_point()
