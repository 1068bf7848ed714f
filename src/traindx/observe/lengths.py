"""How many samples a data set holds and how many steps a script is going to make, without calling the user's code."""

from __future__ import annotations

import ast
import weakref
from functools import cache
from types import FrameType
from typing import Any

from ..source_text import tree_of
from .sites import is_installed, kind_of, locals_of

# ── how many samples: `__len__` is the user's code, and may be slow ───────────────────────────────

_BUILT_IN = (list, tuple, dict, set, range, str, bytes)


class Lengths:
    """Lengths that torch's samplers were told when they asked for them."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[weakref.ref[Any], int]] = {}

    def note(self, data: Any, length: Any) -> None:
        if type(length) is int:
            try:
                self._known[id(data)] = (weakref.ref(data), length)
            except TypeError:  # cannot be referred to weakly: a list, which may be asked
                pass

    def of(self, data: Any) -> int | None:
        """The length of a data set, where that is known or calls no code of the user's."""
        known = self._known.get(id(data))
        if known is not None and known[0]() is data:
            return known[1]
        kind = type(data)
        if kind in _BUILT_IN:
            return len(data)
        ask = getattr(kind, "__len__", None)
        code = getattr(ask, "__code__", None)
        if ask is None or (code is not None and not is_installed(code.co_filename)):
            return None
        # An installed class may wrap one of the user's.
        held: dict[str, Any] = getattr(data, "__dict__", {})
        inner = [held.get(name) for name in ("dataset", "datasets", "data_source")]
        parts = [part for each in inner for part in (each if isinstance(each, (list, tuple)) else (each,))]
        if any(part is not None and self.of(part) is None for part in parts):
            return None
        try:
            return len(data)
        except (TypeError, NotImplementedError, AttributeError):
            return None

    def batches(self, loader: Any) -> int | None:
        """How many batches a loader makes of its data, by the same rule."""
        size, batch = self.of(loader.dataset), getattr(loader, "batch_size", None)
        sampler = getattr(loader, "sampler", None)
        if type(sampler).__name__ in ("RandomSampler", "SequentialSampler") and type(batch) is int and batch > 0:
            count = getattr(sampler, "_num_samples", None) or size
            if count is None:
                return None
            return count // batch if getattr(loader, "drop_last", False) else -(-count // batch)
        parts = [part for part in (loader, getattr(loader, "batch_sampler", None), sampler) if part is not None]
        if size is None or any(not _installed_length(part) for part in parts):
            return None
        try:
            return len(loader)
        except (TypeError, NotImplementedError, AttributeError):
            return None


def _installed_length(part: Any) -> bool:
    code = getattr(getattr(type(part), "__len__", None), "__code__", None)
    return code is None or is_installed(code.co_filename)


# ── how many steps, read from the loops of the script: an answer may be missing ───────────────────

_PASSING = (
    "enumerate",
    "tqdm",
    "trange",
    "iter",
    "list",
    "reversed",
    "zip",
    "track",
)  # loops over their first argument
_STARTERS = ("click", "typer", "hydra", "fire", "absl", "runpy", "contextlib", "functools", "threading", "argh")
_UNKNOWN = object()


def loops_around(frame: FrameType | None, lengths: Lengths) -> int | None:
    """How often the line that is running will run: the product of the loops around it, up through its callers.

    None where a loop has no known length, or where there is no loop at all.
    """
    total, found = 1, False
    while frame is not None:
        kind = kind_of(frame.f_code.co_filename)
        if kind == "library" and not _starts_programs(frame):
            return None  # a framework's own loop
        if kind == "user":
            for loop in _loops(frame.f_code.co_filename, frame.f_code.co_name, frame.f_lineno):
                if loop is None:
                    return None  # `while`: until something happens
                length = _length(loop, frame, lengths)
                if length is None:
                    return None
                total, found = total * length, True
        frame = frame.f_back
    return total if found and total > 0 else None


def _starts_programs(frame: FrameType) -> bool:
    """Whether this is a library that calls a program's main function once."""
    return str(frame.f_globals.get("__name__", "")).split(".")[0] in _STARTERS


@cache
def _loops(filename: str, function: str, line: int) -> tuple[ast.expr | None, ...]:
    """What the loops around this line, within its function, run over. None stands for a `while`."""
    tree = tree_of(filename)
    if tree is None:
        return ()
    scope: ast.AST = tree
    for node in ast.walk(tree):  # the innermost function of that name
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name == function and _holds(node, line):
            scope = node
    found: list[ast.expr | None] = []
    _descend(scope, line, found)
    return tuple(found)


def _descend(node: ast.AST, line: int, found: list[ast.expr | None]) -> None:
    for child in ast.iter_child_nodes(node):
        if not _holds(child, line) or isinstance(child, (ast.FunctionDef, ast.ClassDef, ast.Lambda)):
            continue
        if isinstance(child, (ast.For, ast.While)) and child.body[0].lineno <= line <= (child.body[-1].end_lineno or 0):
            found.append(child.iter if isinstance(child, ast.For) else None)
        _descend(child, line, found)


def _holds(node: ast.AST, line: int) -> bool:
    return getattr(node, "lineno", 0) <= line <= (getattr(node, "end_lineno", 0) or 0)


def _length(expression: ast.expr, frame: FrameType, lengths: Lengths) -> int | None:
    if isinstance(expression, ast.Call):
        name = (
            expression.func.attr if isinstance(expression.func, ast.Attribute) else getattr(expression.func, "id", "")
        )
        if name in ("range", "trange"):
            numbers = [_value(argument, frame) for argument in expression.args]
            if numbers and all(type(number) is int for number in numbers):
                return len(range(*numbers))
            return None
        return _length(expression.args[0], frame, lengths) if name in _PASSING and expression.args else None
    value = _value(expression, frame)
    if type(value) in (list, tuple, range, dict):
        return len(value)
    if hasattr(type(value), "batch_sampler") or "batch_sampler" in getattr(value, "__dict__", {}):
        return lengths.batches(value)
    return None


def _value(expression: ast.expr, frame: FrameType) -> Any:
    """The value of a constant, a variable, a stored attribute, or a sum or product of these."""
    if isinstance(expression, ast.Constant):
        return expression.value
    if isinstance(expression, ast.Name):
        own = locals_of(frame)
        return own[expression.id] if expression.id in own else frame.f_globals.get(expression.id, _UNKNOWN)
    if isinstance(expression, ast.Attribute):
        return getattr(_value(expression.value, frame), "__dict__", {}).get(expression.attr, _UNKNOWN)
    if isinstance(expression, ast.BinOp):
        left, right = _value(expression.left, frame), _value(expression.right, frame)
        if type(left) is int and type(right) is int:
            if isinstance(expression.op, ast.Add):
                return left + right
            if isinstance(expression.op, ast.Sub):
                return left - right
            if isinstance(expression.op, ast.Mult):
                return left * right
            if isinstance(expression.op, ast.FloorDiv) and right:
                return left // right
    if isinstance(expression, ast.Subscript) and isinstance(expression.slice, ast.Constant):
        held = _value(expression.value, frame)
        return held.get(expression.slice.value, _UNKNOWN) if type(held) is dict else _UNKNOWN
    return _UNKNOWN
