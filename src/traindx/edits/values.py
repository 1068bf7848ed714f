"""Finds where a value in the source comes from: a literal, a constant, a default of a parameter, or an option."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from .project import Project
from .source import Source, callee

_DEPTH = 5  # assignments to follow from the use of a value to its literal


@dataclass(frozen=True)
class Literal:
    """An expression of constants. Another value can be written in its place."""

    source: Source
    node: ast.expr


@dataclass(frozen=True)
class Option:
    """The value was given on the command line."""

    name: str


def origin(project: Project, source: Source, node: ast.expr, depth: int = _DEPTH) -> Literal | Option | None:
    """Return where the value of an expression is written, or None if that is not certain."""
    if _constant(node):
        return Literal(source, node)
    if depth == 0:
        return None
    if isinstance(node, ast.Call) and callee(node) in ("float", "int", "tuple") and len(node.args) == 1:
        return origin(project, source, node.args[0], depth - 1)
    if isinstance(node, ast.Name):
        return _of_name(project, source, node, depth)
    if isinstance(node, ast.Attribute):
        return _of_attribute(project, node, depth)
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant) and isinstance(node.value, ast.Name):
        return _of_entry(source, node.value.id, node.slice.value)
    return None


def _constant(node: ast.expr) -> bool:
    """Return whether the expression has only constants, like 0.05 / 32 or (0.9, 0.999)."""
    parts = (ast.Constant, ast.UnaryOp, ast.BinOp, ast.Tuple, ast.operator, ast.unaryop, ast.expr_context)
    return all(isinstance(part, parts) for part in ast.walk(node)) and not isinstance(
        getattr(node, "value", 0), (str, bytes)
    )


def _of_name(project: Project, source: Source, node: ast.Name, depth: int) -> Literal | Option | None:
    function = source.function_of(node)
    while function is not None:
        if isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
            assigned = _assignments(function.body, node.id)
            if assigned:
                return origin(project, source, assigned[0], depth - 1) if len(assigned) == 1 and assigned[0] else None
            if node.id in _parameters(function):
                return _of_parameter(project, source, function, node.id, depth)
        function = source.function_of(function)
    assigned = _assignments(source.tree.body, node.id)
    if len(assigned) == 1 and assigned[0] is not None:
        return origin(project, source, assigned[0], depth - 1)
    if not assigned:
        return _of_import(project, source, node.id, depth)
    return None


def _assignments(body: list[ast.stmt], name: str) -> list[ast.expr | None]:
    """Return the values assigned to a name in a scope; None for assignments of another form than `name = value`."""
    found: list[ast.expr | None] = []
    waiting: list[ast.AST] = list(body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
            continue
        if isinstance(node, ast.Assign):
            for target in node.targets:
                found.extend(_targeted(target, node.value, name))
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.target.id == name:
            found.append(node.value)
        elif isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Store):
            found.append(None)
            continue
        if isinstance(node, (ast.Assign, ast.AnnAssign)):
            waiting.extend([node.value] if node.value else [])
        else:
            waiting.extend(ast.iter_child_nodes(node))
    return found


def _targeted(target: ast.expr, value: ast.expr, name: str) -> list[ast.expr | None]:
    if isinstance(target, ast.Name):
        return [value] if target.id == name else []
    if isinstance(target, (ast.Tuple, ast.List)):
        values = value.elts if isinstance(value, (ast.Tuple, ast.List)) else []
        pairs = (
            zip(target.elts, values, strict=True)
            if len(values) == len(target.elts)
            else ((t, None) for t in target.elts)
        )
        return [v for t, v in pairs if isinstance(t, ast.Name) and t.id == name]
    return []


def _parameters(function: ast.FunctionDef | ast.AsyncFunctionDef) -> list[str]:
    arguments = function.args
    return [a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]


def _default(function: ast.FunctionDef | ast.AsyncFunctionDef, name: str) -> ast.expr | None:
    positional = [*function.args.posonlyargs, *function.args.args]
    for argument, default in zip(reversed(positional), reversed(function.args.defaults), strict=False):
        if argument.arg == name:
            return default
    for argument, given in zip(function.args.kwonlyargs, function.args.kw_defaults, strict=True):
        if argument.arg == name:
            return given
    return None


def _of_parameter(
    project: Project, source: Source, function: ast.FunctionDef | ast.AsyncFunctionDef, name: str, depth: int
) -> Literal | Option | None:
    """Find the value in the only call of the function, or in the default if the call does not give it."""
    home = source.class_of(function)
    called = home.name if home is not None and function.name == "__init__" else function.name
    calls = project.calls(called)
    if len(calls) > 1 or any(isinstance(part, ast.Starred) for _, call in calls for part in call.args):
        return None
    positions = [part for part in _parameters(function) if part not in ("self", "cls")]
    for where, call in calls:
        if any(keyword.arg is None for keyword in call.keywords):
            return None
        given = next((keyword.value for keyword in call.keywords if keyword.arg == name), None)
        if given is None and name in positions and positions.index(name) < len(call.args):
            given = call.args[positions.index(name)]
        if given is not None:
            return origin(project, where, given, depth - 1)
    default = _default(function, name)
    return origin(project, source, default, depth - 1) if default is not None else None


def _of_import(project: Project, source: Source, name: str, depth: int) -> Literal | Option | None:
    if not any(
        isinstance(node, ast.ImportFrom) and any((alias.asname or alias.name) == name for alias in node.names)
        for node in source.tree.body
    ):
        return None
    found = [(other, value) for other in project.sources for value in _assignments(other.tree.body, name)]
    if len(found) == 1 and found[0][1] is not None:
        return origin(project, found[0][0], found[0][1], depth - 1)
    return None


def _of_attribute(project: Project, node: ast.Attribute, depth: int) -> Literal | Option | None:
    """Find the value in an option of argparse, a field of a class, or the only assignment to the attribute."""
    options = [(where, call) for where, call in project.calls("add_argument") if _dest(call) == node.attr]
    fields = [(where, value) for where in project.sources for value in _fields(where, node.attr)]
    assigned = [(where, value) for where in project.sources for value in _attributes(where, node.attr)]
    if len(options) == 1 and not fields and not assigned:
        where, call = options[0]
        flags = [part.value for part in call.args if isinstance(part, ast.Constant)]
        given = [part.split("=", 1)[0] for part in project.argv]
        used = next((str(flag) for flag in flags if flag in given), None)
        if used:
            return Option(used)
        default = next((keyword.value for keyword in call.keywords if keyword.arg == "default"), None)
        return origin(project, where, default, depth - 1) if default is not None else None
    if len(fields) + len(assigned) == 1 and not options:
        where, value = (fields + assigned)[0]
        return origin(project, where, value, depth - 1) if value is not None else None
    return None


def _dest(call: ast.Call) -> str | None:
    """Return the name of the attribute in which argparse stores an option."""
    given = next((keyword.value for keyword in call.keywords if keyword.arg == "dest"), None)
    if isinstance(given, ast.Constant):
        return str(given.value)
    flags = [str(part.value) for part in call.args if isinstance(part, ast.Constant) and isinstance(part.value, str)]
    longest = next((flag for flag in flags if flag.startswith("--")), flags[0] if flags else "")
    return longest.lstrip("-").replace("-", "_") or None


def _fields(source: Source, name: str) -> list[ast.expr | None]:
    """Return the values of class-level assignments to that name, as in dataclasses and configuration classes."""
    return [
        value
        for node in ast.walk(source.tree)
        if isinstance(node, ast.ClassDef)
        for value in _assignments([part for part in node.body if isinstance(part, (ast.Assign, ast.AnnAssign))], name)
    ]


def _attributes(source: Source, name: str) -> list[ast.expr | None]:
    """Return the values assigned to an attribute of that name."""
    found: list[ast.expr | None] = []
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Assign):
            found.extend(node.value for t in node.targets if isinstance(t, ast.Attribute) and t.attr == name)
        elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Attribute) and node.target.attr == name:
            found.append(None)
    return found


def _of_entry(source: Source, name: str, key: object) -> Literal | None:
    """Find the value in a dict literal of the same file that no statement changes."""
    held = _assignments(source.tree.body, name)
    if len(held) != 1 or not isinstance(held[0], ast.Dict):
        return None
    changed = any(
        isinstance(node, ast.Subscript)
        and isinstance(node.ctx, ast.Store)
        and isinstance(node.value, ast.Name)
        and node.value.id == name
        for node in ast.walk(source.tree)
    )
    values = [
        v for k, v in zip(held[0].keys, held[0].values, strict=True) if isinstance(k, ast.Constant) and k.value == key
    ]
    return Literal(source, values[0]) if len(values) == 1 and not changed and _constant(values[0]) else None
