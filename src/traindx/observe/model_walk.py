"""Walks a model's modules and parameters without calling code of the user's: `parameters()`, `named_modules()` and
their like may be overridden, and may do more than return something."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from torch import nn


def named_modules(root: Any) -> Iterator[tuple[str, Any]]:
    """As `nn.Module.named_modules`: every module once, outermost first."""
    seen: set[int] = set()
    waiting: list[tuple[str, Any]] = [("", root)]
    while waiting:
        name, module = waiting.pop()
        if id(module) in seen:
            continue
        seen.add(id(module))
        yield name, module
        prefix = f"{name}." if name else ""
        inner = [(prefix + key, child) for key, child in _kept(module, "_modules") if child is not None]
        waiting.extend(reversed(inner))


def modules(root: Any) -> Iterator[Any]:
    for _, module in named_modules(root):
        yield module


def own_parameters(module: Any) -> Iterator[tuple[str, Any]]:
    """The parameters of this very module, not those of the modules in it."""
    return ((name, parameter) for name, parameter in _kept(module, "_parameters") if parameter is not None)


def named_parameters(root: Any) -> Iterator[tuple[str, Any]]:
    """As `nn.Module.named_parameters`: every parameter once."""
    seen: set[int] = set()
    for prefix, module in named_modules(root):
        for name, parameter in own_parameters(module):
            if id(parameter) not in seen:
                seen.add(id(parameter))
                yield (f"{prefix}.{name}" if prefix else name), parameter


def parameters(root: Any) -> Iterator[Any]:
    for _, parameter in named_parameters(root):
        yield parameter


def _kept(module: Any, kind: str) -> list[tuple[str, Any]]:
    if not isinstance(module, nn.Module):
        return []
    return list(vars(module).get(kind, {}).items())  # a module whose __init__ has not run has none
