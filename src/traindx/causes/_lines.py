"""Reads one line of the user's source: whether it stands by itself, and which name it assigns."""

from __future__ import annotations

import ast


def is_statement(text: str) -> bool:
    """Whether the line stands by itself: not the first line of a longer call, not the head of a block."""
    return _statement(text) is not None


def assigned_name(text: str) -> str | None:
    """The variable that the line assigns to, where that is one plain or dotted name."""
    statement = _statement(text)
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    if len(targets) == 1 and isinstance(targets[0], (ast.Name, ast.Attribute)):
        return ast.unparse(targets[0])
    return None


def _statement(text: str) -> ast.stmt | None:
    try:
        body = ast.parse(text.strip()).body
    except (SyntaxError, ValueError):
        return None
    return body[0] if len(body) == 1 else None
