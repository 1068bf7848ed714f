"""Finds the operation that made the first non-finite number: replays the forward on a copy, or reads the graph.

Runs once, when a run has already gone wrong, so ordinary steps pay nothing. The user's modules are not touched: the
replay runs on a deep copy, and the random streams are put back.
"""

from __future__ import annotations

import ast
import io
import re
import sys
from contextlib import redirect_stderr, redirect_stdout
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from ...source_text import LONGEST_LINE, source_line, tree_of
from ..metric_queue import cpu_value
from ..model_walk import named_modules, twin_of
from ..sites import describe, user_frame
from ..tensors import plain, streams_unchanged, tensors_in
from .graphs import nodes, op_name, saved

# Operations that put an infinity where the script asked for one, such as an attention mask.
_FILLING = (
    "fill",
    "full",
    "masked",
    "scatter",
    "where",
    "triu",
    "tril",
    "zeros",
    "ones",
    "copy",
    "clone",
    "view",
    "expand",
)


def finite(tensor: Any) -> bool:
    if not plain(tensor) or not tensor.is_floating_point():
        return True
    value = cpu_value(torch.isfinite(tensor.detach()).all())
    return True if value is None else bool(value)


class _Births(TorchDispatchMode):
    """Notes the first operation that makes a non-finite number from finite ones."""

    def __init__(self) -> None:
        super().__init__()
        self.modules: list[str] = []
        self.infinite: dict[str, Any] | None = None
        self.undefined: dict[str, Any] | None = None

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        out = func(*args, **(kwargs or {}))
        if self.undefined is None:
            self._look(func, args, out)
        return out

    def _look(self, func: Any, args: Any, out: Any) -> None:
        made = [t for t in tensors_in(out) if plain(t) and t.is_floating_point()]
        if all(finite(t) for t in made):
            return
        name = str(func).split(".")[1] if "." in str(func) else str(func)
        given = [t for t in tensors_in(args) if plain(t) and t.is_floating_point()]
        is_nan = any(cpu_value(torch.isnan(t).any()) for t in made)
        from_finite = all(finite(t) for t in given)
        if is_nan:
            if not any(cpu_value(torch.isnan(t).any()) for t in given):
                self.undefined = self._birth(name, given)
        elif self.infinite is None and from_finite and not any(word in name for word in _FILLING):
            self.infinite = self._birth(name, given)

    def _birth(self, name: str, given: list[Any]) -> dict[str, Any]:
        low = high = None
        if given and finite(given[-1]):
            numbers = given[-1].detach().double()
            low, high = cpu_value(numbers.min()), cpu_value(numbers.max())
        return {
            "op": name.rstrip("_"),
            "module": self.modules[-1] if self.modules else None,
            "site": describe(user_frame(sys._getframe(2))),
            "input_range": [low, high],
        }

    @property
    def first(self) -> dict[str, Any] | None:
        return self.infinite or self.undefined


def replay(root: Any, args: Any, kwargs: Any, rng: Any) -> tuple[dict[str, Any] | None, Any]:
    """Runs the forward again on a copy; returns the first non-finite operation, if there was one, and the output."""
    with streams_unchanged():
        twin = twin_of(root)
        births = _Births()
        for name, module in named_modules(twin):
            module.register_forward_pre_hook(lambda _m, _a, name=name: births.modules.append(name or "model"))
            module.register_forward_hook(lambda _m, _a, _o: births.modules.pop() and None)
        if rng is not None:
            torch.set_rng_state(rng)
        # A model may print as it runs; the replay must not print again.
        with (
            redirect_stdout(io.StringIO()),
            redirect_stderr(io.StringIO()),
            torch._C._EnableTorchFunction(),
            births,
            torch.enable_grad(),
        ):
            output = twin(*args, **kwargs)
        return births.first, output


# What a saved value must not be, for the forward (f) or the backward (b) of an operation.
_BAD: dict[str, list[tuple[str, str, str]]] = {
    # An infinity that `where` or a mask drops again leaves the loss finite; its gradient is 0 times infinity.
    "log": [("self", "<=0", "fb")],
    "log2": [("self", "<=0", "fb")],
    "log10": [("self", "<=0", "fb")],
    "log1p": [("self", "<=-1", "fb")],
    "div": [("other", "==0", "fb")],
    "reciprocal": [("result", "inf", "f")],
    "rsqrt": [("result", "inf", "f")],
    "sqrt": [("result", "nan", "f"), ("result", "==0", "b")],
    "exp": [("result", "inf", "f")],
    "pow": [("result", "nan", "f"), ("result", "inf", "f"), ("self", "root of 0", "b")],
    # Norms, std and cdist are not here: torch gives them the gradient 0 where their value is 0.
    "acos": [("self", ">=1", "b")],
    "asin": [("self", ">=1", "b")],
}


def _is(value: Any, test: str) -> bool:
    if not isinstance(value, torch.Tensor):
        return False
    value = value.detach()
    found = {
        "<=0": lambda: value <= 0,
        "<=-1": lambda: value <= -1,
        "==0": lambda: value == 0,
        ">=1": lambda: value.abs() >= 1,
        "inf": lambda: torch.isinf(value),
        "nan": lambda: torch.isnan(value),
        "nothing": lambda: torch.zeros((), dtype=torch.bool, device="cpu"),
    }[test]()
    return bool(cpu_value(found.any()))


def bad_data(loss: Any) -> bool:
    """Whether data that enter the graph (of a model without modules) are non-finite."""
    for node in nodes(loss):
        for attribute, place in (("self", 0), ("mat1", 1), ("input", 0), ("other", 1)):
            following = node.next_functions[place][0] if place < len(node.next_functions) else None
            value = saved(node, attribute)
            if following is None and isinstance(value, torch.Tensor) and value.dim() > 0 and not finite(value):
                return True
    return False


def bad_constant(loss: Any) -> bool:
    """Whether a sum or difference of an output and data is non-finite. If the output is finite, the data are not."""
    for node in nodes(loss):
        value = saved(node, "self")
        if isinstance(value, torch.Tensor) and not finite(value):
            for by, _ in node.next_functions:
                data = by is not None and any(following is None for following, _ in by.next_functions)
                if data and op_name(by) in ("sub", "rsub", "add"):
                    return True
    return False


def in_graph(loss: Any, directions: str) -> dict[str, Any] | None:
    """The earliest operation behind `loss` whose saved values show that it, or its gradient, is not finite."""
    for node in sorted(nodes(loss), key=lambda n: n._sequence_nr()):
        name = op_name(node)
        for attribute, test, direction in _BAD.get(name, ()):
            value = saved(node, attribute)
            if test == "root of 0":  # x**p has an infinite slope at 0 only for p below 1
                exponent = saved(node, "exponent")
                test = "==0" if isinstance(exponent, (int, float)) and exponent < 1 else "nothing"
            if set(direction) & set(directions) and _is(value, test):
                numbers = value.detach().double()
                return {
                    "op": name,
                    "module": None,
                    "site": None,
                    "input_range": [cpu_value(numbers.min()), cpu_value(numbers.max())],
                }
    return None


def suspects(loss: Any) -> list[str]:
    """The operations whose gradient can be infinite, nearest to the loss first, for a graph whose values are gone."""
    found = []
    for node in nodes(loss):
        name = op_name(node)
        # Squares are everywhere and harmless; only roots written as powers are not. Divisions are everywhere too.
        root = name != "pow" or (isinstance(exponent := saved(node, "exponent"), float) and exponent < 1)
        if root and name != "div" and any("b" in direction for _, _, direction in _BAD.get(name, ())):
            found.append(name)
    return list(dict.fromkeys(found))


_CALLS = {"linalgvectornorm": ("norm", "vector_norm"), "div": ("div", "true_divide"), "pow": ("pow", "square")}


def line_of(op: str, frame: Any) -> dict[str, Any] | None:
    """The line in the user's function (then file) that most likely calls `op`: the last one above the running line."""
    if frame is None:
        return None
    filename, line = frame.f_code.co_filename, frame.f_lineno
    tree = tree_of(filename)
    if tree is None:
        return None
    names = set(_CALLS.get(op, (op,)))
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if called in names:
                found.append(node.lineno)
        elif isinstance(node, ast.BinOp) and (
            (op == "div" and isinstance(node.op, ast.Div)) or (op == "pow" and isinstance(node.op, ast.Pow))
        ):
            found.append(node.lineno)
    if not found:
        return None
    above = [n for n in found if n <= line]
    chosen = max(above) if above else min(found)
    return {
        "file": filename,
        "line": chosen,
        "text": re.sub(r"\s+", " ", source_line(filename, chosen)[: 2 * LONGEST_LINE]).strip()[:LONGEST_LINE],
        "function": frame.f_code.co_name,
    }
