"""Edits of a model that several fixes share: its last activation, its sigmoids and tanhs, code after the optimizer."""

from __future__ import annotations

import ast

from ..edits import Edits, Source
from ..edits.layers import (
    in_training,
    module_uses,
    prefix,
    remove_element,
    rename_call,
    siblings,
    unwrap_call,
)
from ..edits.source import callee
from ..record import Run
from ._settings import optimizer_call

_MODULES = {"softmax": "Softmax", "sigmoid": "Sigmoid", "tanh": "Tanh", "relu": "ReLU", "softplus": "Softplus"}


def remove_output_activation(edits: Edits, name: str) -> None:
    """Removes the activation between the last layer and the loss, if the script has exactly one candidate."""
    places: list[tuple[str, Source, ast.Call]] = []
    for source, call in edits.project.calls(name, _MODULES.get(name, "")):
        if not in_training(call, source):
            continue
        if callee(call) == name:
            if _near_output(source, call):
                places.append(("function", source, call))
        elif len(siblings(source, call)) > 1 and siblings(source, call)[-1] is call:
            places.append(("element", source, call))
        else:
            places += [("use", source, use) for use in module_uses(source, call) if _near_output(source, use)]
    if len(places) != 1:
        return
    kind, source, call = places[0]
    if kind == "element":
        remove_element(edits, source, call)
    else:
        unwrap_call(edits, source, call)


def _near_output(source: Source, call: ast.Call) -> bool:
    """Whether the call is returned by forward, an argument of a call, or assigned; not part of other arithmetic."""
    parent = source.parents.get(call)
    if isinstance(parent, (ast.Return, ast.Assign, ast.Tuple, ast.UnaryOp)):
        return True
    return isinstance(parent, ast.Call) and call in parent.args


def normalise_before(edits: Edits, *kinds: str, instead: str | None = None) -> None:
    """Puts a LayerNorm between each linear layer and the sigmoid or tanh after it, within lists of layers.

    With `instead` the activation is replaced as well.
    """
    for source, call in edits.project.calls(*kinds):
        elements = siblings(source, call)
        index = elements.index(call)
        before = elements[index - 1] if index else None
        if isinstance(source.parents.get(call), ast.Call) and index == len(elements) - 1:
            continue  # the output's own activation
        if isinstance(before, ast.Call) and callee(before) == "Linear" and len(before.args) >= 2:
            width = source.segment(before.args[1])
            start = source.span(call)[0]
            edits.splice(source, start, start, f"{prefix(source, call)}LayerNorm({width}), ")
        elif index == 0:
            continue
        if instead:
            rename_call(edits, source, call, instead)


def add_behind_optimizer(run: Run, edits: Edits, code: str, name: str) -> None:
    """Inserts statements after the one that creates the optimizer, using the optimizer's name there."""
    found = optimizer_call(run, edits)
    if found is None:
        return
    source, call, _ = found
    statement = source.statement_of(call)
    if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], (ast.Name, ast.Attribute)):
        edits.insert_after(source, statement, code.replace(name, ast.unparse(statement.targets[0])))
