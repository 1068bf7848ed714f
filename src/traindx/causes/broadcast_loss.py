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
- Do not enlarge the model: it is already fitting what the loss asks for.
- Do not silence the warning.

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

import ast
import math

from ..edits import Edits, Source, backward_calls, callee, in_parentheses, loss_assignment
from ..record.forms import absent
from ..record.program import LossCall
from ..wording import num4
from ._fixing import Fix, Run, Signs, begin, fixed

FAMILY = "loss"
TITLE = "Output and target shapes broadcast in the loss"
FOR = {
    "loss-broadcasts": 6.5, "training-at-chance": 0.7, "loss-plateau": 0.5, "one-batch-not-learnt": 0.7,
    "loss-stuck": 0.3, "predictions-collapsed": 0.3,
}  # fmt: skip
REQUIRES = ("loss-broadcasts",)

_PATTERN = """\
assert outputs.shape == targets.shape, (outputs.shape, targets.shape)
loss = criterion(outputs, targets.view_as(outputs))"""


def fix(run: Run, _signs: Signs) -> Fix:
    """Give both the same shape, in every loss call whose shapes broadcast."""
    broadcasting = [found for found in run.losses if found.broadcast]
    loss = broadcasting[0] if broadcasting else absent(LossCall)
    given, wanted = loss.input.shape or (), loss.target.shape or ()
    if not given or not wanted:
        given, wanted = _from_graph(run)
    measured = f" Outputs have shape {given}, targets {wanted}." if given and wanted else ""
    std = run.training_targets.std or 0.0
    # What the signs call chance, where it was measured: the same number in one answer.
    trivial = loss.trivial if "mse" in loss.fn else None
    if variance := trivial or std * std:
        floor = num4(variance)
        measured += f" While all pairs are compared, the loss cannot fall below the targets' variance, {floor}."
    edits = begin(run)
    if given and wanted and math.prod(given) == math.prod(wanted):
        done: set[ast.AST] = set()
        for entry in broadcasting:
            shapes = entry.input.shape or (), entry.target.shape or ()
            for source, call in _loss_calls(edits, entry):
                if call not in done:
                    done.add(call)
                    _equalise(edits, source, call.args[0], call.args[1], shapes)
        for source, call in [] if done else backward_calls(run, edits.project):
            made = loss_assignment(source, call)
            parts = [node for node in ast.walk(made) if isinstance(node, ast.BinOp)] if made else []
            differences = [node for node in parts if isinstance(node.op, ast.Sub)]
            if len(differences) == 1:
                _equalise(edits, source, differences[0].left, differences[0].right, (given, wanted))
    summary = f"Give outputs and targets the same shape before the loss.{measured}"
    return fixed(run, summary, edits, _PATTERN, near=loss)


def _loss_calls(edits: Edits, entry: LossCall) -> list[tuple[Source, ast.Call]]:
    """The loss's own call on its line: the call of that name, else the outermost call of two tensors.

    `log("val_loss", criterion(outputs, targets))` is no loss: its first argument is a string.
    """
    calls = [
        (source, call)
        for source, call in edits.project.calls_at(entry.site)
        if len(call.args) >= 2 and not any(isinstance(argument, ast.Constant) for argument in call.args[:2])
    ]
    found = [(s, c) for s, c in calls if callee(c) == entry.fn] or calls
    found = [(s, c) for s, c in found if not any(c is not o and c in ast.walk(o) for _, o in found)]
    return found if len(found) == 1 else []


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
    for found in run.graph.broadcasts:
        sizes = found.shapes
        if len(sizes) == 2:
            return sizes[0], sizes[1]
        # The other one carries no gradient.
        if len(sizes) == 1 and len(sizes[0]) == 2 and sizes[0][1] == 1 and found.out == (sizes[0][0],) * 2:
            return sizes[0], sizes[0][:1]
    return (), ()
