"""Finds the training loop and the names of its parts: model, optimizer, scaler, loss, batch."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from itertools import islice

from ..record import Run
from .project import Project
from .source import Source, callee

MOST_LINES = 50  # that call backward, of a program that somebody wrote by hand


def backward_calls(run: Run, project: Project) -> list[tuple[Source, ast.Call]]:
    """Return the calls of backward that the run made, one a line, in the order of the record."""
    sites = {str(entry.site): entry.site for entry in run.backward_sites}
    return [
        call
        for site in islice(sites.values(), MOST_LINES)
        for call in project.calls_at(site, "backward", "step", "training_step")[:1]
    ]


def loss_of(call: ast.Call) -> ast.expr | None:
    """Return the loss in loss.backward(), scaler.scale(loss).backward() or accelerator.backward(loss)."""
    if callee(call) != "backward":
        return None
    owner = call.func.value if isinstance(call.func, ast.Attribute) else None
    if isinstance(owner, ast.Call) and callee(owner) == "scale" and owner.args:
        return owner.args[0]
    if call.args and isinstance(owner, (ast.Name, ast.Attribute)):
        return call.args[0]  # accelerator.backward(loss), fabric.backward(loss)
    return owner


def loss_assignment(source: Source, call: ast.Call) -> ast.Assign | None:
    """Return the statement before backward that assigns the loss, if the loss is a name."""
    loss = loss_of(call)
    return assigned_before(source, loss.id, source.statement_of(call)) if isinstance(loss, ast.Name) else None


def batch_names(source: Source, near: ast.AST) -> tuple[ast.For, list[str]] | None:
    """Return the loop over batches, and what it calls inputs and targets; a number before them is skipped."""
    for loop in source.loops_of(near):
        target = loop.target if isinstance(loop, ast.For) else None
        if isinstance(loop, ast.For) and callee(loop.iter) == "enumerate" and isinstance(target, ast.Tuple):
            target = target.elts[-1]
        names = [part.id for part in target.elts if isinstance(part, ast.Name)] if isinstance(target, ast.Tuple) else []
        if isinstance(loop, ast.For) and len(names) == 2:
            return loop, names
    return None


def without_gradients(expressions: Iterable[ast.expr]) -> bool:
    """Return whether one of the contexts or decorators switches gradients off."""
    return any(callee(expression) in ("no_grad", "inference_mode") for expression in expressions)


def first_statement(function: ast.FunctionDef) -> ast.stmt:
    """Return the first statement after the docstring."""
    documented = isinstance(function.body[0], ast.Expr) and isinstance(function.body[0].value, ast.Constant)
    return function.body[1 if documented and len(function.body) > 1 else 0]


def step_calls(project: Project, source: Source, near: ast.AST) -> list[ast.Call]:
    """Return the calls of an optimizer's step in the same function (or at the top level) as a node."""
    schedulers = scheduler_names(project)
    found = []
    for node in source.calls.get("step", ()):
        if not isinstance(node.func, ast.Attribute) or source.function_of(node) is not source.function_of(near):
            continue
        if ast.unparse(node.func.value) not in schedulers:
            found.append(node)
    return found


def scheduler_names(project: Project) -> set[str]:
    """Return the names of the project's schedulers."""
    names: set[str] = set()
    for source in project.sources:
        for node in ast.walk(source.tree):
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
                made = callee(node.value) or ""
                if made.endswith("LR") or "chedule" in made or made == "ReduceLROnPlateau":
                    names.update(ast.unparse(target) for target in node.targets)
    return names


def optimizer_in(call: ast.Call) -> str | None:
    """Return the optimizer's name in opt.step() or scaler.step(opt)."""
    if not isinstance(call.func, ast.Attribute):
        return None
    owner = ast.unparse(call.func.value)
    if call.args and isinstance(call.args[0], (ast.Name, ast.Attribute)) and "scal" in owner.lower():
        return ast.unparse(call.args[0])
    return owner


def models_near(source: Source, near: ast.AST) -> list[str]:
    """Return the names used as a model in the function (or top level) of a node, the most certain first."""
    function = source.function_of(near)
    scope = function if function is not None else source.tree
    votes: dict[str, int] = {}
    for node in ast.walk(scope):
        if not isinstance(node, ast.Call) or (function is None and source.function_of(node) is not None):
            continue
        if isinstance(node.func, ast.Attribute) and node.func.attr in ("parameters", "train", "eval", "state_dict"):
            owner = node.func.value
            if isinstance(owner, (ast.Name, ast.Attribute)):
                name = ast.unparse(owner)
                votes[name] = votes.get(name, 0) + (3 if node.func.attr in ("train", "eval") else 2)
    return sorted((name for name in votes if name != "self"), key=lambda name: -votes[name])


def module_name(run: Run, project: Project) -> tuple[Source, ast.stmt, str] | None:
    """Return the statement that creates the model, and its name there; None if there is not exactly one."""
    kinds = {model.class_name for model in run.models if model.class_name}
    found = []
    for source in project.sources:
        for node in source.walk(ast.Assign):
            if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.value, ast.Call):
                target = node.targets[0]
                made = node.value
                while isinstance(made.func, ast.Attribute) and isinstance(made.func.value, ast.Call):
                    made = made.func.value  # Net().to(device)
                inside = source.class_of(node) is not None
                if callee(made) in kinds and isinstance(target, ast.Name) and not inside:
                    found.append((source, node, target.id))
    return found[0] if len(found) == 1 else None


def assigned_before(source: Source, name: str, near: ast.stmt) -> ast.Assign | None:
    """Return the last plain assignment to a name before a statement, in the same block."""
    block = source.block_of(near)
    if near not in block:
        return None
    for statement in reversed(block[: block.index(near)]):
        if isinstance(statement, ast.Assign) and ast.unparse(statement.targets[0]) == name:
            return statement
        if isinstance(statement, (ast.With, ast.AsyncWith)):
            for inner in reversed(statement.body):
                if isinstance(inner, ast.Assign) and ast.unparse(inner.targets[0]) == name:
                    return inner
    return None


def forward_functions(project: Project) -> list[tuple[Source, ast.FunctionDef]]:
    """Return the forward methods of the project's modules."""
    found = []
    for source in project.sources:
        for node in ast.walk(source.tree):
            if isinstance(node, ast.FunctionDef) and node.name == "forward" and source.class_of(node) is not None:
                found.append((source, node))
    return found


def training_nodes(run: Run, project: Project) -> list[tuple[Source, ast.AST]]:
    """Return the nodes of the forward methods, and of the loop (or function) around backward up to that call."""
    found: list[tuple[Source, ast.AST]] = []
    for source, function in forward_functions(project):
        found.extend((source, node) for node in ast.walk(function))
    for source, call in backward_calls(run, project):
        statement = source.statement_of(call)
        for node in ast.walk(_scope_of(source, call)):
            if getattr(node, "lineno", 10**9) <= (statement.end_lineno or 0):
                found.append((source, node))
    return list(dict.fromkeys(found))


def models_called(source: Source, block: ast.AST) -> list[str]:
    """Return the names that are called like a model within a block: model(x), self.model(x)."""
    found: list[str] = []
    for node in ast.walk(block):
        if isinstance(node, ast.Call) and isinstance(node.func, (ast.Name, ast.Attribute)):
            name = ast.unparse(node.func)
            if name in source.modules and name not in found:
                found.append(name)
    return found


def model_in_loop(source: Source, backward: ast.Call) -> str | None:
    """Return the name of the model that the loop around backward calls; None if it is not exactly one."""
    called = models_called(source, _scope_of(source, backward))
    return called[0] if len(called) == 1 else None


def _scope_of(source: Source, call: ast.Call) -> ast.AST:
    """Return the innermost loop around a call, or else its function, or else the module."""
    loops = source.loops_of(call)
    return loops[0] if loops else (source.function_of(call) or source.tree)
