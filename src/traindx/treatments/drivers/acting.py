"""What drivers share: reaching the arguments of a loss, and replacing functions of torch."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch.utils import _pytree as pytree

from .._base import Intervening as Intervening

# ── arguments of models and losses ──────────────────────────────────────────────────────────────────


def floating(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and value.is_floating_point()


def trains(root: Any) -> bool:
    """Whether an outermost module is a model and not a loss function, which is also a module."""
    return next(root.parameters(), None) is not None


def on_tensors(change: Callable[[Any], Any], value: Any) -> Any:
    """The same structure with `change` applied to every tensor in it."""
    return pytree.tree_map(lambda leaf: change(leaf) if isinstance(leaf, torch.Tensor) else leaf, value)


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


# ── modules ─────────────────────────────────────────────────────────────────────────────────────────


def named(name: str, wanted: Sequence[str]) -> bool:
    """Whether one of the record's names means this module. With several models, they begin with the model's name."""
    return any(each == name or each.endswith(f".{name}") for each in wanted)


# ── functions of torch ──────────────────────────────────────────────────────────────────────────────

OWNERS = (torch, torch.nn.functional, torch.Tensor)  # where a function of torch can be called from


def replace(owner: Any, name: str, new: Callable[..., Any]) -> Callable[..., Any]:
    """Set owner.name to `new` and return the old function. It is never restored, because the process ends with the
    run."""
    old: Callable[..., Any] = getattr(owner, name)

    # A plain function binds to the tensor it is called on; a driver's bound method would not.
    def called(*args: Any, **kwargs: Any) -> Any:
        return new(*args, **kwargs)

    setattr(owner, name, called)
    return old


def replace_all(names: Sequence[str], new: Callable[..., Any], owners: Sequence[Any] = OWNERS) -> None:
    """Replace these functions wherever they can be called from by `new(name, old, given, *args, **kwargs)`."""

    def exchange(owner: Any, name: str) -> None:
        def called(given: Any, *args: Any, **kwargs: Any) -> Any:
            return new(name, old, given, *args, **kwargs)

        old = getattr(owner, name)
        setattr(owner, name, called)

    for name in names:
        for owner in owners:
            if hasattr(owner, name):
                exchange(owner, name)


def called_by_user(depth: int = 3) -> bool:
    """Whether the frame `depth` levels up (3: the caller of a function put in by `replace` or `replace_all`) belongs to
    the script, not to torch or traindx."""
    name = str(sys._getframe(depth).f_globals.get("__name__", ""))
    return name.split(".")[0] not in ("torch", "traindx")
