"""Finds where a value in the source comes from: a literal, a constant, a default of a parameter, an option, or an entry
of a configuration file.

An assignment is followed where that is certain. Where it is not (`**settings`, `self.hparams.lr`, `cfg["lr"]`), the
value that the run has shown decides: the place is the only one of that name at which that value is written.
"""

from __future__ import annotations

import ast
import math
import operator
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from ..source_text import LARGEST
from .project import Project
from .source import Source, callee

Values = dict[str, list[ast.expr | None]]  # by name
_DEPTH = 5  # assignments to follow from the use of a value to its literal
_SAME = 1e-6  # relative difference up to which a number is the one that the run has shown
_CONFIGURATIONS = (".yaml", ".yml", ".json", ".toml", ".ini", ".cfg")
_NUMBER = r"([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)"
_OPERATIONS = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}


@dataclass(frozen=True)
class Literal:
    """An expression of constants. Another value can be written in its place."""

    source: Source
    node: ast.expr


@dataclass(frozen=True)
class Option:
    """The value was given on the command line."""

    name: str


def origin(project: Project, source: Source, node: ast.expr, was: float | None = None) -> Literal | Option | None:
    """Return where the value of an expression is written, or None if that is not certain.

    `was` is the value that the run has shown: a place with another number is not where it came from.
    """
    found = _traced(project, source, node, _DEPTH)
    if isinstance(found, Option) or (found is not None and (was is None or _is(found.node, was))):
        return found
    name = _last_name(node)
    return written_as(project, (name,), was) if name and was is not None else None


def written_as(
    project: Project, names: tuple[str, ...], was: float | None, depth: int = _DEPTH
) -> Literal | Option | None:
    """Return the only place in the project where a value is written under one of these names; `was` as in `origin`."""
    found: dict[tuple[Path, int, int], Literal] = {}
    for where, value in _bound(project, names, depth):
        if isinstance(where, Option):
            return where
        if value is not None and _last_name(value) in names:  # handed on: SGD(lr=args.lr)
            continue
        if value is not None and _constant(value) and (was is None or _is(value, was)):
            found[where.path, value.lineno, value.col_offset] = Literal(where, value)
        elif was is None:
            return None  # computed somewhere
    places = list(found.values())
    if not places and was is not None:
        places = list(_in_configurations(project, names, was))
    return places[0] if len(places) == 1 else None


def _bound(project: Project, names: tuple[str, ...], depth: int) -> Iterator[tuple[Source | Option, ast.expr | None]]:
    """Yield what is written under the names; an option that the command line gives comes first, and alone."""
    for source, call in project.calls("add_argument"):
        if _dest(call) in names:
            option = _option(project, source, call, depth)
            if isinstance(option, Option):
                yield option, None
            elif option is not None:
                yield option.source, option.node
    for source in project.sources:
        for name in names:
            for value in _bindings(source).get(name, ()):
                yield source, value


def value_of(node: ast.expr) -> float | None:
    """Return the number that an expression of constants makes."""
    if isinstance(node, ast.Constant):
        return float(node.value) if isinstance(node.value, (int, float)) and not isinstance(node.value, bool) else None
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd)):
        inner = value_of(node.operand)
        return None if inner is None else -inner if isinstance(node.op, ast.USub) else inner
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATIONS:
        left, right = value_of(node.left), value_of(node.right)
        try:
            made = None if left is None or right is None else _OPERATIONS[type(node.op)](left, right)
        except (ArithmeticError, ValueError):
            return None
        return made if isinstance(made, float) else None
    return None


def _is(node: ast.expr, was: float) -> bool:
    written = value_of(node)
    return written is not None and math.isclose(written, was, rel_tol=_SAME)


def _last_name(node: ast.expr) -> str | None:
    """Return the name under which an expression reads its value: lr of args.lr, cfg["lr"] and cfg.get("lr", 0.1)."""
    while isinstance(node, ast.Call) and callee(node) in ("float", "int") and len(node.args) == 1:
        node = node.args[0]
    if isinstance(node, ast.Call) and callee(node) == "get" and node.args:
        return str(key.value) if isinstance(key := node.args[0], ast.Constant) else None
    if isinstance(node, ast.Subscript):
        return str(node.slice.value) if isinstance(node.slice, ast.Constant) else None
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else None


def _bindings(source: Source) -> Values:
    """Return what the file writes under each name: in assignments, keywords, entries of dicts, fields and defaults."""
    return source.once(_bindings, lambda: _all_bindings(source))


def _all_bindings(source: Source) -> Values:
    found: Values = {}
    for name, value in _every_binding(source):
        found.setdefault(name, []).append(value)
    return found


def _every_binding(source: Source) -> Iterator[tuple[str, ast.expr | None]]:
    kinds = (ast.keyword, ast.Dict, ast.Assign, ast.AnnAssign, ast.AugAssign, ast.FunctionDef, ast.AsyncFunctionDef)
    for node in source.walk(*kinds):
        if isinstance(node, ast.keyword) and node.arg:
            yield node.arg, node.value
        elif isinstance(node, ast.Dict):
            for key, value in zip(node.keys, node.values, strict=True):
                if isinstance(key, ast.Constant):
                    yield str(key.value), value
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                yield from _targeted(target, node.value, isinstance(node, ast.AnnAssign))
                if isinstance(target, (ast.Attribute, ast.Subscript)):
                    yield _last_name(target) or "", node.value
        elif isinstance(node, ast.AugAssign):
            yield _last_name(node.target) or "", None
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield from _defaults(node).items()


def _in_configurations(project: Project, names: tuple[str, ...], was: float) -> Iterator[Literal]:
    """Yield the entries of that name and number in the configuration files that the sources or the arguments name."""
    words = [
        node.value
        for source in project.sources
        for node in source.walk(ast.Constant)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]
    entry = re.compile(rf"(?<![\w.-])[\"']?(?:{'|'.join(map(re.escape, names))})[\"']?\s*[:=]\s*{_NUMBER}(?![\w.])")
    files = {
        path.resolve()
        for word in (*words, *(part.rpartition("=")[2] for part in project.argv))
        if word.endswith(_CONFIGURATIONS) and "\0" not in word
        for path in (project.root / word, project.base / word)
        if path.is_file() and path.resolve().is_relative_to(project.root.resolve())
    }
    for path in sorted(files):
        source = _configuration(path, path.stat().st_mtime_ns)
        for match in entry.finditer(source.text) if source is not None else ():
            if source is not None and math.isclose(float(match.group(1)), was, rel_tol=_SAME):
                yield Literal(source, source.constant_at(*match.span(1)))


@lru_cache(maxsize=32)
def _configuration(path: Path, _changed: int) -> Source | None:
    try:
        text = path.read_bytes()[: LARGEST + 1].decode("utf-8")
    except (OSError, ValueError):
        return None
    return Source(path, text, ast.Module([], [])) if len(text) <= LARGEST else None


def _traced(project: Project, source: Source, node: ast.expr, depth: int) -> Literal | Option | None:
    if _constant(node):
        return Literal(source, node)
    if depth == 0:
        return None
    if isinstance(node, ast.Call) and callee(node) in ("float", "int", "tuple") and len(node.args) == 1:
        return _traced(project, source, node.args[0], depth - 1)
    if isinstance(node, ast.Name):
        return _of_name(project, source, node, depth)
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Attribute) and node.value.attr == "hparams":
        return _of_hparams(project, source, node, depth)
    name = _last_name(node)
    return written_as(project, (name,), None, depth - 1) if name else None


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
            assigned = _assignments(source, function, node.id)
            if assigned:
                return _traced(project, source, assigned[0], depth - 1) if len(assigned) == 1 and assigned[0] else None
            if node.id in _parameters(function):
                return _of_parameter(project, source, function, node.id, depth)
        function = source.function_of(function)
    assigned = _assignments(source, source.tree, node.id)
    if len(assigned) == 1 and assigned[0] is not None:
        return _traced(project, source, assigned[0], depth - 1)
    if not assigned:
        return _of_import(project, source, node.id, depth)
    return None


def _assignments(source: Source, scope: ast.AST, name: str) -> list[ast.expr | None]:
    """Return the values assigned to a name in a scope; None for assignments of another form than `name = value`."""
    return source.once(scope, lambda: _all_assignments(getattr(scope, "body", []))).get(name, [])


def _all_assignments(body: list[ast.stmt]) -> Values:
    found: Values = {}
    waiting: list[ast.AST] = list(body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
            continue
        if isinstance(node, (ast.Assign, ast.AnnAssign)):
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                for name, value in _targeted(target, node.value, isinstance(node, ast.AnnAssign)):
                    found.setdefault(name, []).append(value)
            waiting.extend([node.value] if node.value else [])
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.setdefault(node.id, []).append(None)
        else:
            waiting.extend(ast.iter_child_nodes(node))
    return found


def _targeted(target: ast.expr, value: ast.expr | None, alone: bool) -> list[tuple[str, ast.expr | None]]:
    if isinstance(target, ast.Name):
        return [(target.id, value)]
    if isinstance(target, (ast.Tuple, ast.List)) and not alone:
        values = value.elts if isinstance(value, (ast.Tuple, ast.List)) else []
        given = values if len(values) == len(target.elts) else [None] * len(target.elts)
        return [(t.id, v) for t, v in zip(target.elts, given, strict=True) if isinstance(t, ast.Name)]
    return []


def _parameters(function: ast.FunctionDef | ast.AsyncFunctionDef) -> list[str]:
    arguments = function.args
    return [a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]


def _defaults(function: ast.FunctionDef | ast.AsyncFunctionDef) -> dict[str, ast.expr]:
    """Return the defaults by parameter: the last positional ones have one, and keywords may."""
    positional = [*function.args.posonlyargs, *function.args.args]
    given = zip(positional[len(positional) - len(function.args.defaults) :], function.args.defaults, strict=True)
    named = zip(function.args.kwonlyargs, function.args.kw_defaults, strict=True)
    return {argument.arg: default for argument, default in (*given, *named) if default is not None}


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
            return _traced(project, where, given, depth - 1)
    default = _defaults(function).get(name)
    return _traced(project, source, default, depth - 1) if default is not None else None


def _of_import(project: Project, source: Source, name: str, depth: int) -> Literal | Option | None:
    if not any(
        isinstance(node, ast.ImportFrom) and any((alias.asname or alias.name) == name for alias in node.names)
        for node in source.tree.body
    ):
        return None
    found = [(other, value) for other in project.sources for value in _assignments(other, other.tree, name)]
    if len(found) == 1 and found[0][1] is not None:
        return _traced(project, found[0][0], found[0][1], depth - 1)
    return None


def _of_hparams(project: Project, source: Source, node: ast.Attribute, depth: int) -> Literal | Option | None:
    """Find the value of `self.hparams.NAME`: Lightning's `save_hyperparameters()` keeps the arguments of `__init__`."""
    function = source.function_of(node)
    home = source.class_of(function) if isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)) else None
    made = [part for part in home.body if getattr(part, "name", "") == "__init__"] if home is not None else []
    if len(made) != 1 or not isinstance(made[0], ast.FunctionDef) or node.attr not in _parameters(made[0]):
        return None
    saves = any(isinstance(part, ast.Call) and callee(part) == "save_hyperparameters" for part in ast.walk(made[0]))
    return _of_parameter(project, source, made[0], node.attr, depth) if saves else None


def _option(project: Project, source: Source, call: ast.Call, depth: int) -> Literal | Option | None:
    """Find the value of an option: the one given on the command line, or its default."""
    flags = [part.value for part in call.args if isinstance(part, ast.Constant)]
    given = [part.split("=", 1)[0] for part in project.argv]
    used = next((str(flag) for flag in flags if flag in given), None)
    if used:
        return Option(used)
    default = next((keyword.value for keyword in call.keywords if keyword.arg == "default"), None)
    return _traced(project, source, default, depth - 1) if default is not None else None


def _dest(call: ast.Call) -> str | None:
    """Return the name of the attribute in which argparse stores an option."""
    given = next((keyword.value for keyword in call.keywords if keyword.arg == "dest"), None)
    if isinstance(given, ast.Constant):
        return str(given.value)
    flags = [str(part.value) for part in call.args if isinstance(part, ast.Constant) and isinstance(part.value, str)]
    longest = next((flag for flag in flags if flag.startswith("--")), flags[0] if flags else "")
    return longest.lstrip("-").replace("-", "_") or None
