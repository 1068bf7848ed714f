"""Rewrites one line of the user's source, so that a fix can show the line as it should read.

Everything works on the parsed line, never on patterns, and gives None where the line alone does not tell.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

# What makes a fragment parse: a whole statement, the head of a block, a line from inside a call.
_WHOLE = (("", ""), ("", "\n    pass"))
_PARTS = (("f(", ")"), ("f(", ""), ("", ")"))


def with_keyword(
    text: str, name: str, value: str, *, call: str | None = None, position: int | None = None
) -> str | None:
    """The line with keyword argument `name` set to the source text `value`, or None.

    An existing keyword is replaced wherever it stands. With `call` (the last part of the called name, like
    "SGD"), the argument is also found at its `position` in that call, or else added to it.
    """
    for (prefix, suffix), node in _calls(text, _WHOLE + _PARTS):
        for keyword in node.keywords:
            if keyword.arg == name:
                return _replaced(text, prefix, suffix, keyword.value, value)
    if call is None:
        return None
    for (prefix, suffix), node in _calls(text, _WHOLE):
        if _callee(node) != call or any(isinstance(argument, ast.Starred) for argument in node.args):
            continue
        if any(keyword.arg is None for keyword in node.keywords):
            continue  # **settings may already hold it
        if position is not None and len(node.args) > position:
            return _replaced(text, prefix, suffix, node.args[position], value)
        return _appended(text, prefix, suffix, node, f"{name}={value}")
    return None


def with_call_renamed(text: str, old: str, new: str) -> str | None:
    """The line with the call of `old` (bare or at the end of a dotted name) turned into one of `new`, or None."""
    for (prefix, suffix), node in _calls(text, (*_WHOLE, ("", ")"))):
        if _callee(node) == old:
            end = _span(prefix + text.strip() + suffix, node.func)[1]
            return _spliced(text, prefix, suffix, end - len(old.encode()), end, new)
    return None


def without_minus(text: str) -> str | None:
    """The line without the minus in front of what it assigns, returns or calls a method on, or None."""
    statement = _statement(text)
    node = getattr(statement, "value", None)
    if isinstance(statement, ast.Expr) and isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        node = node.func.value  # (-loss).backward()
    while isinstance(node, ast.BinOp):
        node = node.left  # -loss / k
    if not (isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub)):
        return None
    operand = ast.unparse(node.operand)
    if isinstance(node.operand, ast.BinOp):
        operand = f"({operand})"
    return _spliced(text, "", "", *_span(text.strip(), node), operand)


def with_loss_divided(text: str, divisor: str) -> str | None:
    """`loss.backward()`, `scaler.scale(loss).backward()` or `accelerator.backward(loss)` with the loss divided."""
    call = getattr(_statement(text), "value", None)
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute) or call.func.attr != "backward":
        return None
    loss = call.func.value
    if isinstance(loss, ast.Call) and _callee(loss) == "scale" and loss.args:
        loss = loss.args[0]
    elif call.args:
        loss = call.args[0]
    start, end = _span(text.strip(), loss)
    inner = text.strip().encode()[start:end].decode()
    atom = isinstance(loss, (ast.Name, ast.Attribute, ast.Call))
    divided = f"{inner} / {divisor}" if atom else f"({inner}) / {divisor}"
    # What a method is called on already has its parentheses, unless it is an atom.
    return _spliced(text, "", "", start, end, f"({divided})" if atom and loss is call.func.value else divided)


def without_detach(text: str) -> str | None:
    """The line with `.detach()` and `.data` taken off, or None where it has neither."""
    statement = _statement(text)
    if statement is None:
        return None
    for node in ast.walk(statement):
        cut = node.func if isinstance(node, ast.Call) and not node.args else node
        if isinstance(node, ast.expr) and isinstance(cut, ast.Attribute):
            called = cut is not node
            if (called and cut.attr == "detach") or (not called and cut.attr == "data"):
                shorter = _spliced(text, "", "", *_span(text.strip(), node), ast.unparse(cut.value))
                return without_detach(shorter) or shorter
    return None


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
        return ast.parse(text.strip()).body[0]
    except (SyntaxError, ValueError, IndexError):
        return None


def _calls(text: str, forms: tuple[tuple[str, str], ...]) -> Iterator[tuple[tuple[str, str], ast.Call]]:
    """The calls in the line, outermost first, with the form under which it parsed."""
    text = text.strip()
    for prefix, suffix in forms:
        try:
            tree = ast.parse(prefix + text + suffix)
        except (SyntaxError, ValueError):
            continue
        calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
        if calls:
            yield from (((prefix, suffix), node) for node in calls)
            return


def _callee(node: ast.Call) -> str | None:
    if isinstance(node.func, ast.Attribute):
        return node.func.attr
    return node.func.id if isinstance(node.func, ast.Name) else None


def _span(source: str, node: ast.expr) -> tuple[int, int]:
    """Where the node lies in the source, in bytes, as `ast` counts."""
    lines = [len(line.encode()) for line in source.splitlines(keepends=True)]
    start = sum(lines[: node.lineno - 1]) + node.col_offset
    end = sum(lines[: (node.end_lineno or node.lineno) - 1]) + (node.end_col_offset or 0)
    return start, end


def _replaced(text: str, prefix: str, suffix: str, node: ast.expr, value: str) -> str:
    start, end = _span(prefix + text.strip() + suffix, node)
    return _spliced(text, prefix, suffix, start, end, value)


def _appended(text: str, prefix: str, suffix: str, node: ast.Call, argument: str) -> str:
    source = (prefix + text.strip() + suffix).encode()
    close = _span(source.decode(), node)[1] - 1
    before = source[:close].rstrip()
    comma = "" if before.endswith((b"(", b",")) else ","
    gap = "" if before.endswith(b"(") else " "
    return _spliced(text, prefix, suffix, len(before), close, comma + gap + argument)


def _spliced(text: str, prefix: str, suffix: str, start: int, end: int, new: str) -> str:
    indent = text[: len(text) - len(text.lstrip())]
    source = (prefix + text.strip() + suffix).encode()
    whole = (source[:start] + new.encode() + source[end:]).decode()
    return indent + whole[len(prefix) : len(whole) - len(suffix)]
