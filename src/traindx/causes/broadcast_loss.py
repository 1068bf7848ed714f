"""Outputs and targets have different shapes and broadcast, so the loss compares all pairs.

## What happens

Regression seems to train, and ends with every prediction near the mean of the targets. The loss settles at the
targets' variance. A warning about different sizes scrolls by, or none at all if the loss was written by hand.

## Why

Outputs of shape (N, 1) minus targets of shape (N,) broadcast to (N, N): entry (i, j) is output i minus target j.
The mean over all pairs is

    1/N² Σᵢⱼ (oᵢ - yⱼ)²  =  1/N Σᵢ (oᵢ - ȳ)²  +  Var(y)

so the loss asks every output to be the batch mean ȳ, and cannot fall below Var(y). Each output sees all targets;
which target belongs to which input is lost. The same happens with (N, T) against (N, T, 1), and with a mask or a
weight of shape (N,) against losses of shape (N, T) when N = T.

## Signs

- The loss function's input and target have different shapes, or a subtraction near the loss grows a dimension.
- One row of outputs is broadcast over the batch, or `scores[:, labels]` picks the labels of the whole batch for each
  row.
- Predictions collapse to one value; loss equals the variance of the targets.

## Fix

Make the shapes equal before the loss, and assert it:

```python
outputs = model(x).squeeze(-1)  # (N, 1) -> (N,)
assert outputs.shape == y.shape, (outputs.shape, y.shape)
loss = torch.nn.functional.mse_loss(outputs, y)
```

## What not to do

- Do not use a bare `squeeze()`: a last batch of one sample loses its batch dimension too.
- Do not silence the warning.
- Do not enlarge the model: it is already fitting what the loss asks for.

## Often confused with

- `model-too-small`, `noisy-labels`: predictions at the mean as well, with equal shapes.
- `wrong-loss`: shapes agree, kinds do not.
- `scrambled-axes`: shapes agree, but entries were moved.

## Verify

Input and target of the loss have the same shape, and the loss passes below the targets' variance.

## References

- PyTorch documentation: Broadcasting semantics.
- NumPy documentation: Broadcasting.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Mapping
from typing import Any

from ..edits import Edits, Source
from ..edits.layers import (
    in_parentheses,
)
from ..edits.loops import (
    assigned_before,
    loss_of,
)
from ..edits.source import callee
from ..record import Run
from ..record.site import site_of
from ..record.values import entries, mapping, number
from ..signs import Signs
from ..wording import num
from ._base import Fix
from ._facts import shape
from ._fixing import begin, fixed

ID = "broadcast-loss"
FAMILY = "loss"
TITLE = "Output and target shapes broadcast in the loss"
MEANS = "Outputs and targets have different shapes that broadcast, so the loss compares every output with every target."
FOR = {
    "loss-broadcasts": 6.5,
    "training-at-chance": 0.7,
    "loss-plateau": 0.5,
    "one-batch-not-learnt": 0.7,
    "loss-stuck": 0.3,
    "predictions-collapsed": 0.3,
}
AGAINST = {"loss-at-floor": 1.5, "loss-not-finite": 0.7}
REQUIRES = ("loss-broadcasts",)
EXPLAINS = (
    "model-too-small",
    "noisy-labels",
    "lr-too-low",
    "over-regularized",
    "weight-decay-too-strong",
    "vanishing-gradients",
    "unscaled-targets",
)
AVOID = (
    "Do not use a bare squeeze(): a last batch of one sample loses its batch dimension too.",
    "Do not enlarge the model: it already fits what the loss asks for.",
)
VERIFY = "Input and target of the loss have equal shapes, and the loss passes below the targets' variance."
REFERENCE = "PyTorch documentation, Broadcasting semantics"

_PATTERN = """\
assert outputs.shape == targets.shape, (outputs.shape, targets.shape)
loss = criterion(outputs, targets.view_as(outputs))"""


def fix(run: Run, _signs: Signs) -> Fix:
    """Give both the same shape, in every loss call whose shapes broadcast."""
    broadcasting = [found for found in run.entries("losses") if found.get("broadcast") is True]
    loss = broadcasting[0] if broadcasting else {}
    given, wanted = shape(mapping(loss.get("input"))), shape(mapping(loss.get("target")))
    if not given or not wanted:
        given, wanted = _from_graph(run)
    std = number(run.fact("targets/train").get("std"))
    measured = f" Outputs have shape {given}, targets {wanted}." if given and wanted else ""
    if std:
        measured += (
            f" While all pairs are compared, the loss cannot fall below the targets' variance, {num(std * std)}."
        )
    edits = begin(run)
    if edits is not None and math.prod(given) == math.prod(wanted) and given and wanted:
        done: set[ast.AST] = set()
        for entry in broadcasting:
            for source, call in _loss_calls(edits, entry):
                if call not in done:
                    done.add(call)
                    shapes = shape(mapping(entry.get("input"))), shape(mapping(entry.get("target")))
                    _equalise(edits, source, call.args[0], call.args[1], shapes)
        if not done:
            for source, statement in [p for e in run.entries("backward_sites") for p in _near(edits, e)]:
                differences = [n for n in ast.walk(statement) if isinstance(n, ast.BinOp) and isinstance(n.op, ast.Sub)]
                if len(differences) == 1:
                    _equalise(edits, source, differences[0].left, differences[0].right, (given, wanted))
    summary = f"Give outputs and targets the same shape before the loss.{measured}"
    return fixed(run, summary, edits, _PATTERN, near=site_of(loss))


def _loss_calls(edits: Edits, entry: Mapping[str, Any]) -> list[tuple[Source, ast.Call]]:
    """The loss's own call on its line: the call of that name, else the outermost call of two tensors.

    `log("val_loss", criterion(outputs, targets))` is no loss: its first argument is a string.
    """
    calls = [
        (source, call)
        for source, call in edits.project.calls_at(entry.get("site"))
        if len(call.args) >= 2 and not any(isinstance(argument, ast.Constant) for argument in call.args[:2])
    ]
    found = [(s, c) for s, c in calls if callee(c) == entry.get("fn")] or calls
    found = [(s, c) for s, c in found if not any(c is not o and c in ast.walk(o) for _, o in found)]
    return found if len(found) == 1 else []


def _near(edits: Edits, entry: Mapping[str, Any]) -> list[tuple[Source, ast.stmt]]:
    """The assignment of the loss that backward is called on."""
    found: list[tuple[Source, ast.stmt]] = []
    for source, call in edits.project.calls_at(entry.get("site"), "backward"):
        loss = loss_of(call)
        made = assigned_before(source, source.segment(loss), source.statement_of(call)) if loss is not None else None
        found += [(source, made)] if made is not None else []
    return found


def _equalise(
    edits: Edits, source: Source, first: ast.expr, second: ast.expr, shapes: tuple[tuple[int, ...], tuple[int, ...]]
) -> None:
    """Gives the second operand the shape of the first, which is written out again only where that calls nothing.

    `y.view_as(model(x))` would run the model a second time.
    """
    given, wanted = shapes
    targets = in_parentheses(source, second)
    if not any(isinstance(node, ast.Call) for node in ast.walk(first)):
        edits.replace(source, second, f"{targets}.view_as({source.segment(first)})")
    elif given == (*wanted, 1):
        edits.replace(source, second, f"{targets}.unsqueeze(-1)")
    elif wanted == (*given, 1):
        edits.replace(source, second, f"{targets}.squeeze(-1)")
    else:
        edits.refuse()


def _from_graph(run: Run) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The two shapes of the first broadcast near a hand-written loss."""
    for found in entries(run.fact("graph").get("broadcasts")):
        shapes = found.get("shapes")
        if isinstance(shapes, (list, tuple)) and len(shapes) == 2:
            return shape({"shape": shapes[0]}), shape({"shape": shapes[1]})
        if isinstance(shapes, (list, tuple)) and len(shapes) == 1:  # the other one carries no gradient
            known, out = shape({"shape": shapes[0]}), shape(found, "out")
            if len(known) == 2 and known[1] == 1 and out == (known[0], known[0]):
                return known, (known[0],)
    return (), ()
