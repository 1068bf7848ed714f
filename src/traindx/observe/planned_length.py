"""How many steps a script is going to make, read from its loops: nothing is called, so an answer may be missing."""

from __future__ import annotations

import ast
import linecache
from functools import cache
from types import FrameType
from typing import Any

from .hook_points.lengths import Lengths
from .sites import kind_of

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
def _tree(filename: str) -> ast.Module | None:
    try:
        return ast.parse("".join(linecache.getlines(filename)))
    except (SyntaxError, ValueError):
        return None


@cache
def _loops(filename: str, function: str, line: int) -> tuple[ast.expr | None, ...]:
    """What the loops around this line, within its function, run over. None stands for a `while`."""
    tree = _tree(filename)
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
    """Of a constant, a variable, an attribute that is kept as such, and sums and products of these."""
    if isinstance(expression, ast.Constant):
        return expression.value
    if isinstance(expression, ast.Name):
        scope = frame.f_locals if expression.id in frame.f_locals else frame.f_globals
        return scope.get(expression.id, _UNKNOWN)
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
