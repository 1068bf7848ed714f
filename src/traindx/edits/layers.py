"""Edits layers and operations: renames a call, removes an operation, removes or adds an element of a list."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from .changes import Edits
from .source import Source, callee

_FUNCTION_HOMES = {"torch", "F", "nn", "functional", "np", "math"}  # F.log(x) is a function, y.log() a method of y
_ATOMS = (ast.Name, ast.Attribute, ast.Call, ast.Subscript, ast.Constant)


def rename_call(edits: Edits, source: Source, call: ast.Call, new: str) -> None:
    """Change the last part of the called name and keep what is before it: nn.ReLU() becomes nn.GELU()."""
    end = source.span(call.func)[1]
    edits.splice(source, end - len(callee(call) or ""), end, new)


def prefix(source: Source, call: ast.Call) -> str:
    """Return what is before the last part of the called name: "nn." of nn.ReLU()."""
    return source.segment(call.func).removesuffix(callee(call) or "")


def operand(call: ast.Call) -> ast.expr | None:
    """Return what an operation is applied to: the first argument of a function, the owner of a method."""
    first = call.args[0] if call.args and not isinstance(call.args[0], ast.Starred) else None
    if isinstance(call.func, ast.Name):
        return first
    owner = call.func.value if isinstance(call.func, ast.Attribute) else None
    root = owner
    while isinstance(root, ast.Attribute):
        root = root.value
    home = root.id if isinstance(root, ast.Name) else None
    if home in _FUNCTION_HOMES or (home == "self" and first is not None and not isinstance(first, ast.Constant)):
        return first  # self.softmax(x) applies a module to x
    return owner


def unwrap_call(edits: Edits, source: Source, call: ast.Call) -> None:
    """Replace an operation with its operand."""
    inner = operand(call)
    if inner is None:
        edits.refuse()
        return
    text = source.segment(inner)
    statement = source.parents.get(call)
    if isinstance(statement, ast.Assign) and [source.segment(target) for target in statement.targets] == [text]:
        edits.delete(source, statement)  # x = x.softmax(dim=1) would become x = x
        return
    alone = isinstance(statement, (ast.Assign, ast.Return, ast.Expr, ast.keyword)) or (
        isinstance(statement, ast.Call) and call in statement.args
    )
    edits.replace(source, call, text if alone or isinstance(inner, _ATOMS) else f"({text})")


def in_parentheses(source: Source, node: ast.expr) -> str:
    text = source.segment(node)
    return text if isinstance(node, _ATOMS) else f"({text})"


def siblings(source: Source, node: ast.expr) -> list[ast.expr]:
    """Return the elements of the call, list or tuple that the node is an element of."""
    parent = source.parents.get(node)
    if isinstance(parent, ast.Call) and node in parent.args:
        return parent.args
    if isinstance(parent, (ast.List, ast.Tuple)):
        return parent.elts
    return [node]


def remove_element(edits: Edits, source: Source, node: ast.expr) -> None:
    """Remove an element, the comma after it (before it, if it is the last) and its line if it is alone there."""
    elements = siblings(source, node)
    index = elements.index(node)
    if len(elements) == 1:
        edits.refuse()
        return
    start, end = source.span(node)
    if index + 1 < len(elements):
        edits.splice(source, start, source.span(elements[index + 1])[0], "")
        return
    edits.splice(source, source.span(elements[index - 1])[1], end, "")


def add_element(edits: Edits, source: Source, after: ast.expr, text: str) -> None:
    """Insert an element after another one, on its own line if the elements are one per line."""
    elements = siblings(source, after)
    end = source.span(after)[1]
    own_lines = len(elements) > 1 and len({element.lineno for element in elements}) == len(elements)
    if own_lines:
        start = source.starts[after.lineno - 1]
        indent = source.text[start : source.span(after)[0]]
        edits.splice(source, end, end, f",\n{indent if not indent.strip() else ' '}{text}")
    else:
        edits.splice(source, end, end, f", {text}")


def in_training(call: ast.Call, source: Source) -> bool:
    """Return whether a call is neither under `with torch.no_grad()` nor in a function named after evaluation."""
    for above in source.ancestors(call):
        if isinstance(above, (ast.With, ast.AsyncWith)) and any(
            callee(item.context_expr) in ("no_grad", "inference_mode") for item in above.items
        ):
            return False
        if isinstance(above, (ast.FunctionDef, ast.AsyncFunctionDef)) and any(
            word in above.name.lower() for word in ("eval", "valid", "test", "predict", "infer", "sample", "generate")
        ):
            return False
    return True


def module_uses(source: Source, made: ast.Call) -> Iterator[ast.Call]:
    """Yield the calls self.act(x) of a module that the class creates with self.act = nn.Softmax()."""
    statement = source.statement_of(made)
    home = source.class_of(made)
    if not isinstance(statement, ast.Assign) or statement.value is not made or home is None:
        return
    names = {ast.unparse(target) for target in statement.targets}
    for node in ast.walk(home):
        if isinstance(node, ast.Call) and ast.unparse(node.func) in names:
            yield node
