"""Walks a model's modules and parameters without calling code of the user's, and names them."""

from __future__ import annotations

import copy
import weakref
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from functools import partial
from types import FrameType
from typing import Any

import torch
from torch import nn
from torch.nn.modules import module as torch_module

from .sites import locals_of


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
        inner = [(prefix + key, child) for key, child in _children(module) if child is not None]
        waiting.extend(reversed(inner))


def modules(root: Any) -> Iterator[Any]:
    for _, module in named_modules(root):
        yield module


def own_parameters(module: Any) -> Iterator[tuple[str, Any]]:
    """The parameters of this very module, not those of the modules in it."""
    kept = _kept(module, "_parameters")
    if is_keras(module):
        kept = [(variable.name, variable._value) for variable in vars(module)["_trainable_variables"]]
    return ((name, parameter) for name, parameter in kept if isinstance(parameter, torch.Tensor))


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


def is_keras(module: Any) -> bool:
    return isinstance(module, nn.Module) and "_trainable_variables" in vars(module) and "_layers" in vars(module)


def _children(module: Any) -> list[tuple[str, Any]]:
    kept = _kept(module, "_modules")
    if not is_keras(module):
        return kept
    layers = [layer for layer in vars(module)["_layers"] if isinstance(layer, nn.Module)]
    wrapped = [(name, child) for name, child in kept if not is_keras(child) and name != "_torch_params"]
    return [(str(vars(layer).get("name", at)), layer) for at, layer in enumerate(layers)] + wrapped


def _kept(module: Any, kind: str) -> list[tuple[str, Any]]:
    if not isinstance(module, nn.Module):
        return []
    return list(vars(module).get(kind, {}).items())  # a module whose __init__ has not run has none


_KINDS = (
    "_forward_hooks",
    "_forward_pre_hooks",
    "_backward_hooks",
    "_backward_pre_hooks",
    "_state_dict_hooks",
    "_state_dict_pre_hooks",
    "_load_state_dict_pre_hooks",
    "_load_state_dict_post_hooks",
)
_GLOBAL = ("_global_forward_hooks", "_global_forward_pre_hooks", "_global_backward_hooks", "_global_backward_pre_hooks")


def _of_torch(hook: Any) -> bool:
    while isinstance(hook, partial):
        hook = hook.func
    module = getattr(hook, "__module__", None) or type(hook).__module__
    return str(module).split(".")[0] == "torch"


def twin_of(root: Any) -> Any:
    """A deep copy to compute something on, beside a training that must not notice.

    It carries no hooks but torch's own (weight norm, pruning): a hook of the script would fire more often than the
    script expects, and may change state of the original model. Raises `ValueError` where the script hooks every module
    there is.
    """
    if any(not _of_torch(hook) for kind in _GLOBAL for hook in getattr(torch_module, kind, {}).values()):
        raise ValueError("the script has hooks on every module")
    # deepcopy takes what is in the memo for the copy, so the hooks, and all that they refer to, are not even copied.
    memo: dict[int, Any] = {}
    for module in modules(root):
        for kind in _KINDS:
            hooks = vars(module).get(kind)
            if hooks:
                memo[id(hooks)] = OrderedDict((key, hook) for key, hook in hooks.items() if _of_torch(hook))
    return copy.deepcopy(root, memo)


# ── names ─────────────────────────────────────────────────────────────────────────────────────────


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
        if (known := self.known(parameter)) is not None:
            return known
        for root_name, root in self.roots():
            prefix = self.prefix(root_name)
            for name, found in named_parameters(root):
                self._remember(found, prefix + name)
        if (known := self.known(parameter)) is not None:
            return known
        name = f"tensor{self._loose}"
        self._loose += 1
        self._remember(parameter, name)
        return name

    def known(self, parameter: Any) -> str | None:
        """The name that the parameter has already, if it has one."""
        found = self._names.get(id(parameter))
        return found[1] if found is not None and found[0]() is parameter else None

    def refresh(self) -> None:
        """Name parameters anew: the script has put others in their place."""
        self._names = {}

    def name_loose(self, tensors: Iterable[Any], frame: FrameType | None) -> None:
        """Give tensors outside any module the names of the variables that hold them in the user's code."""
        if frame is None:
            return
        wanted = {id(p): p for p in tensors if id(p) not in self._names}
        for scope in (locals_of(frame), frame.f_globals):
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


class CallNames:
    """The first place keeps the module's name, every other one is named after the layer before it: `relu after fc2`.

    A recurrent loop calls the module behind the same layer again and again: that is one place.
    """

    def __init__(self) -> None:
        self._before = ""  # the last layer with weights that ran in this forward
        self._first: dict[str, str] = {}

    def begin(self) -> None:
        """A forward begins."""
        self._before = ""

    def name(self, name: str, module: Any) -> str:
        """The name of the call, given the name of the module: asked for each leaf module, in order."""
        if any(parameter is not None for parameter in vars(module).get("_parameters", {}).values()):
            self._before = name
            return name
        first = self._first.setdefault(name, self._before)
        return name if first == self._before else f"{name} after {self._before}"
