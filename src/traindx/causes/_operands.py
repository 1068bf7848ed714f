"""Rewrites an operation in one line of source: takes it away from its operand, makes the operand safe, moves its axis.

Like `_lines`, everything works on the parsed line and gives None where the line alone does not tell.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

_FUNCTION_HOMES = {"torch", "F", "nn", "functional"}  # F.log(x) is a function of x, while y.log() is a method of y
_ATOMS = (ast.Name, ast.Attribute, ast.Call, ast.Subscript, ast.Constant)


def without_call(text: str, *names: str) -> str | None:
    """The line with the outermost call of one of the operations replaced by what it is applied to."""
    for node in _calls(text, names):
        operand = _operand(node)
        if operand is not None:
            whole = getattr(ast.parse(text.strip()).body[0], "value", None)
            alone = whole is not None and ast.dump(whole) == ast.dump(node)
            source = _source(text, operand)
            return _spliced(text, node, source if alone or isinstance(operand, _ATOMS) else f"({source})")
    return None


def with_operand(text: str, template: str, *names: str) -> str | None:
    """The line with the operand of its only such operation put into a template like "{} + 1e-12"."""
    found = list(_calls(text, names))
    operand = _operand(found[0]) if len(found) == 1 else None
    if operand is None:
        return None
    source = _source(text, operand)
    new = template.format(source if isinstance(operand, _ATOMS) else f"({source})")
    inside = operand in found[0].args
    return _spliced(text, operand, new if inside or template.startswith("{}.") else f"({new})")


def with_divisor(text: str, template: str) -> str | None:
    """The line with the divisor of its only division put into a template."""
    tree = _parsed(text)
    found = [n for n in ast.walk(tree) if isinstance(n, ast.BinOp) and isinstance(n.op, ast.Div)] if tree else []
    if len(found) != 1:
        return None
    right = found[0].right
    source = _source(text, right)
    return _spliced(text, right, f"({template.format(source)})")


def with_axis(text: str, axis: str, *names: str) -> str | None:
    """The line with the axis of its only such operation changed, whether given by name or by place."""
    found = list(_calls(text, names))
    if len(found) != 1:
        return None
    given = [keyword.value for keyword in found[0].keywords if keyword.arg in ("dim", "axis")]
    given += [argument for argument in found[0].args if isinstance(argument, (ast.Constant, ast.UnaryOp))]
    return _spliced(text, given[0], axis) if len(given) == 1 else None


def with_log_softmax(text: str) -> str | None:
    """The line with log(softmax(...)) turned into log_softmax(...)."""
    for node in _calls(text, ("log",)):
        operand = _operand(node)
        if isinstance(operand, ast.Call) and _callee(operand) == "softmax":
            function = _source(text, operand.func)
            arguments = _source(text, operand)[len(function) :]
            return _spliced(text, node, function.removesuffix("softmax") + "log_softmax" + arguments)
    return None


def _parsed(text: str) -> ast.Module | None:
    """The line as a whole statement, where it is one."""
    try:
        tree = ast.parse(text.strip())
    except (SyntaxError, ValueError):
        return None
    return tree if len(tree.body) == 1 and "\n" not in text.strip() else None


def _calls(text: str, names: tuple[str, ...]) -> Iterator[ast.Call]:
    """The calls of these operations in the line, outermost first; log also stands for its in-place form log_."""
    tree = _parsed(text)
    for node in ast.walk(tree) if tree else ():
        if isinstance(node, ast.Call) and (_callee(node) or "").rstrip("_") in names:
            yield node


def _callee(node: ast.Call) -> str | None:
    if isinstance(node.func, ast.Attribute):
        return node.func.attr
    return node.func.id if isinstance(node.func, ast.Name) else None


def _operand(node: ast.Call) -> ast.expr | None:
    """What the operation is applied to: the first argument of a function, the owner of a method."""
    first = node.args[0] if node.args and not isinstance(node.args[0], ast.Starred) else None
    if isinstance(node.func, ast.Name):
        return first
    owner = node.func.value if isinstance(node.func, ast.Attribute) else None
    root = owner
    while isinstance(root, ast.Attribute):
        root = root.value
    home = root.id if isinstance(root, ast.Name) else None
    if home in _FUNCTION_HOMES:
        return first
    if home == "self" and first is not None and not isinstance(first, ast.Constant):
        return first  # self.softmax(x): a module
    return owner


def _source(text: str, node: ast.expr) -> str:
    return ast.get_source_segment(text.strip(), node) or ast.unparse(node)


def _spliced(text: str, node: ast.expr, new: str) -> str:
    """The line with the node's text replaced; `ast` counts columns in bytes."""
    indent = text[: len(text) - len(text.lstrip())]
    source = text.strip().encode()
    return indent + (source[: node.col_offset] + new.encode() + source[node.end_col_offset :]).decode()
