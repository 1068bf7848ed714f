"""By which name the running function knows a tensor, and on which line it got that name."""

from __future__ import annotations

import ast
import linecache
from functools import cache
from types import FrameType
from typing import Any

import torch

from .sites import describe, describe_line, user_frame

MOST = 512  # variables that are searched
PARTS = 32  # of a dict or list of losses


def named_operand(frame: FrameType | None, tensor: Any, chain: list[Any]) -> tuple[str | None, dict[str, Any] | None]:
    """The name of the variable that holds `tensor`, or what it is a multiple of, and the line that made it.

    `chain`: the operations from the tensor's own to the one that made what is multiplied. Without a name, the line is
    the one that is running: the tensor was computed there.
    """
    frame = user_frame(frame)
    if frame is None:
        return None, None
    name = _name(frame.f_locals, tensor, chain)
    if name is None:
        return None, describe(frame)
    root = name.partition("[")[0]
    line = _assigned_at(frame.f_code.co_filename, frame.f_code.co_firstlineno, root, name, frame.f_lineno)
    return name, describe(frame) if line is None else describe_line(frame, line)


def held_operand(frame: FrameType | None, chain: list[Any]) -> tuple[str | None, dict[str, Any] | None, Any]:
    """The variable that holds what one of these operations made: its name, the line that made it, and its value."""
    if frame is None:
        return None, None, None
    name = _name(frame.f_locals, None, chain)
    if name is None:
        return None, None, None
    root, _, key = name.partition("[")
    held = frame.f_locals[root]
    value = next(part for k, part in held.items() if f"{k!r}]" == key) if key else held
    line = _assigned_at(frame.f_code.co_filename, frame.f_code.co_firstlineno, root, name, frame.f_lineno)
    return name, describe(frame) if line is None else describe_line(frame, line), value


def _name(scope: Any, tensor: Any, chain: list[Any]) -> str | None:
    found: dict[int, str] = {}  # by place in the chain
    for name, value in list(scope.items())[:MOST]:
        held = [(str(name), value)]
        if type(value) is dict and len(value) <= PARTS:
            held = [(f"{name}[{key!r}]", part) for key, part in value.items()]
        for called, part in held:
            if part is tensor and tensor is not None:
                return called
            made = getattr(part, "grad_fn", None) if isinstance(part, torch.Tensor) else None
            if made is not None and made in chain:
                found.setdefault(chain.index(made), called)
    return found[min(found)] if found else None


@cache
def _tree(filename: str) -> ast.Module | None:
    try:
        return ast.parse("".join(linecache.getlines(filename)))
    except (SyntaxError, ValueError):
        return None


@cache
def _assigned_at(filename: str, first: int, root: str, name: str, before: int) -> int | None:
    """The last line, not after `before`, on which the function that begins at `first` assigns this name."""
    tree = _tree(filename)
    if tree is None:
        return None
    scope: ast.AST = tree
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            begins = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            scope = node if begins == first and begins > 1 else scope
    lines = [
        statement.lineno
        for statement in ast.walk(scope)
        if isinstance(statement, ast.Assign | ast.AnnAssign) and statement.lineno <= before
        for target in (statement.targets if isinstance(statement, ast.Assign) else [statement.target])
        if _assigns(target, root, name)
    ]
    return max(lines, default=None)


def _assigns(target: ast.expr, root: str, name: str) -> bool:
    if isinstance(target, ast.Tuple | ast.List):
        return any(_assigns(part, root, name) for part in target.elts)
    if isinstance(target, ast.Subscript):
        return ast.unparse(target) == name
    return isinstance(target, ast.Name) and target.id == root
