"""Names for parameters and modules, however the script keeps them."""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Iterator
from types import FrameType
from typing import Any

import torch
from torch import nn

from .model_walk import modules, named_modules, named_parameters, parameters


class Naming:
    """Knows the outermost modules that the script calls, and gives every parameter one stable name."""

    def __init__(self) -> None:
        self._roots: list[tuple[str, weakref.ref[Any]]] = []
        self._alone: str | None = None  # the root that had no other beside it when names were first used
        self.in_use = False  # names have been written down: they must stay what they are
        self._names: dict[int, tuple[weakref.ref[Any], str]] = {}
        self._loose = 0

    # ── models ──────────────────────────────────────────────────────────────────────────────────

    def roots(self) -> list[tuple[str, Any]]:
        """(name, module) of the outermost modules with parameters, in order of first use."""
        return [(name, module) for name, ref in self._roots if (module := ref()) is not None]

    def knows(self, root: Any) -> bool:
        return any(ref() is root for _, ref in self._roots)

    def add_root(self, root: Any) -> bool:
        """Note an outermost module. False where it has no parameters or is part of a known one."""
        if self.knows(root) or next(parameters(root), None) is None:
            return False
        for _, known in self.roots():
            if any(module is root for module in modules(known)):
                return False
        taken = {name for name, _ in self._roots}
        base = type(root).__name__
        name = base
        number = 2
        while name in taken:
            name = f"{base}{number}"
            number += 1
        if self.in_use and len(self._roots) == 1:
            self._alone = self._roots[0][0]
        self._roots.append((name, weakref.ref(root)))
        self._names = {}  # a second root brings prefixes; parameters are named anew
        return True

    def prefix(self, root_name: str) -> str:
        """The prefix that distinguishes this root's layers from another's: empty if there is, or long was, only one."""
        return f"{root_name}." if len(self._roots) > 1 and root_name != self._alone else ""

    def modules(self) -> Iterator[tuple[str, Any]]:
        for root_name, root in self.roots():
            prefix = self.prefix(root_name)
            for name, module in named_modules(root):
                yield (prefix + name) or root_name, module

    # ── parameters ──────────────────────────────────────────────────────────────────────────────

    def name_of(self, parameter: Any) -> str:
        """The parameter's name; loose tensors get one by order of appearance."""
        known = self._names.get(id(parameter))
        if known is not None and known[0]() is parameter:
            return known[1]
        for root_name, root in self.roots():
            prefix = self.prefix(root_name)
            for name, found in named_parameters(root):
                self._remember(found, prefix + name)
        known = self._names.get(id(parameter))
        if known is not None and known[0]() is parameter:
            return known[1]
        name = f"tensor{self._loose}"
        self._loose += 1
        self._remember(parameter, name)
        return name

    def refresh(self) -> None:
        """Name parameters anew: the script has put others in their place."""
        self._names = {}

    def name_loose(self, tensors: Iterable[Any], frame: FrameType | None) -> None:
        """Give tensors outside any module the names of the variables that hold them in the user's code."""
        if frame is None:
            return
        wanted = {id(p): p for p in tensors if id(p) not in self._names}
        for scope in (frame.f_locals, frame.f_globals):
            for variable, value in list(scope.items()):
                if variable.startswith("__"):
                    continue
                if isinstance(value, torch.Tensor):
                    items: Iterable[tuple[str, Any]] = [(variable, value)]
                elif isinstance(value, (list, tuple)):
                    items = [(f"{variable}[{i}]", v) for i, v in enumerate(value[:200])]
                elif isinstance(value, dict) and not isinstance(value, nn.Module):
                    items = [(f"{variable}[{k!r}]", v) for k, v in list(value.items())[:200]]
                else:
                    continue
                for name, tensor in items:
                    if id(tensor) in wanted and isinstance(tensor, torch.Tensor):
                        self._remember(wanted.pop(id(tensor)), name)

    def _remember(self, parameter: Any, name: str) -> None:
        self._names.setdefault(id(parameter), (weakref.ref(parameter), name))
        if self._names[id(parameter)][0]() is not parameter:  # the id was used again
            self._names[id(parameter)] = (weakref.ref(parameter), name)
