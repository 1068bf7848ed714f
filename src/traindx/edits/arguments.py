"""Sets an argument of a call at the place where its value is written: in the call itself or at its origin."""

from __future__ import annotations

import ast

from .changes import Edits
from .source import Source
from .values import Literal, Option, origin

# The parameters of torch's functions and classes in order, up to the last one that a fix sets.
POSITIONS = {
    "SGD": ("params", "lr", "momentum", "dampening", "weight_decay", "nesterov"),
    "RMSprop": ("params", "lr", "alpha", "eps", "weight_decay", "momentum"),
    "DataLoader": ("dataset", "batch_size", "shuffle"),
    "clip_grad_norm_": ("parameters", "max_norm"),
    "clip_grad_value_": ("parameters", "clip_value"),
    "CosineAnnealingLR": ("optimizer", "T_max", "eta_min"),
    "StepLR": ("optimizer", "step_size", "gamma"),
    "ExponentialLR": ("optimizer", "gamma"),
    "LinearLR": ("optimizer", "start_factor", "end_factor", "total_iters"),
    "PolynomialLR": ("optimizer", "total_iters", "power"),
    "OneCycleLR": ("optimizer", "max_lr", "total_steps"),
    "Dropout": ("p",),
    "dropout": ("input", "p"),
    "CrossEntropyLoss": ("weight",),
    "cross_entropy": ("input", "target", "weight"),
    "backward": ("gradient", "retain_graph"),
}
_ADAM_LIKE = ("params", "lr", "betas", "eps", "weight_decay")


def positions(call: str) -> tuple[str, ...]:
    return POSITIONS.get(call, _ADAM_LIKE if "Ada" in call else ())


def argument(call: ast.Call, name: str, function: str) -> ast.expr | None:
    """Return the expression given for a parameter, by keyword or by position."""
    for keyword in call.keywords:
        if keyword.arg == name:
            return keyword.value
    order = positions(function)
    if name in order and order.index(name) < len(call.args):
        index = order.index(name)
        if not any(isinstance(part, ast.Starred) for part in call.args[: index + 1]):
            return call.args[index]
    return None


def opaque(call: ast.Call) -> bool:
    """Return whether *args or **kwargs may hold arguments that the call does not show."""
    return any(isinstance(part, ast.Starred) for part in call.args) or any(k.arg is None for k in call.keywords)


def set_argument(edits: Edits, source: Source, call: ast.Call, name: str, value: str, function: str) -> str | None:
    """Change the value of the argument where it is written in the source, or add the keyword.

    Returns the name of the option if the value came from the command line: then there is nothing to edit. Refuses the
    edit if the origin of the value is not certain.
    """
    given = argument(call, name, function)
    if given is not None:
        return set_value(edits, source, given, value)
    if opaque(call):
        edits.refuse()
        return None
    add_keyword(edits, source, call, f"{name}={value}")
    return None


def set_value(edits: Edits, source: Source, node: ast.expr, value: str) -> str | None:
    found = origin(edits.project, source, node)
    if isinstance(found, Option):
        edits.refuse()
        return found.name
    if isinstance(found, Literal):
        edits.replace(found.source, found.node, value)
    else:
        edits.refuse()
    return None


def add_keyword(edits: Edits, source: Source, call: ast.Call, text: str) -> None:
    """Add a keyword argument after the last argument."""
    parts: list[ast.expr | ast.keyword] = sorted([*call.args, *call.keywords], key=lambda part: source.span(part)[1])
    if not parts:
        end = source.span(call)[1] - 1
        edits.splice(source, end, end, text)
        return
    after = source.span(parts[-1])[1]
    if isinstance(parts[-1], ast.GeneratorExp) and source.text[after - 1 : after] != ")":
        edits.refuse()
        return
    edits.splice(source, after, after, f", {text}")


def remove_keyword(edits: Edits, source: Source, call: ast.Call, name: str) -> bool:
    """Remove a keyword argument and its comma. Return whether the call has it."""
    keyword = next((part for part in call.keywords if part.arg == name), None)
    if keyword is None:
        return False
    start, end = source.span(keyword)
    before = source.text[:start].rstrip()
    if before.endswith(","):
        start = len(before) - 1
    else:
        rest = source.text[end:]
        skipped = len(rest) - len(rest.lstrip())
        if rest[skipped : skipped + 1] == ",":
            tail = rest[skipped + 1 :]
            end += skipped + 1 + len(tail) - len(tail.lstrip(" "))
    edits.splice(source, start, end, "")
    return True
