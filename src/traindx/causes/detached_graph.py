"""The path from the loss back to the weights is cut.

## What happens
If the cut is complete, backward raises "element 0 of tensors does not require grad and does not have a grad_fn". If
only a part is cut off, the script runs: the layers behind the cut keep their first values, or miss one term of the
loss, and the rest learns what it can. If the loss is rebuilt with requires_grad set by hand, it runs and nothing
learns.

## Why
Autograd records operations on tensors. Whatever leaves that record is a constant for backward:

- `.detach()`, `.data`, `.item()`, `torch.tensor(x)` or a round trip through numpy in the middle of the model;
- a forward under `torch.no_grad()` or `torch.inference_mode()`;
- `argmax`, comparison, rounding, integer casts and sampling: constant almost everywhere, so the derivative is zero;
- `loss = torch.tensor(loss.item(), requires_grad=True)`, which silences the error and trains nothing.

By the chain rule ∂L/∂w = ∂L/∂y · ∂y/∂w. With the link ∂y/∂w unknown to the graph, the product is never formed and
`.grad` stays None; with a constant operation in the path it is formed and equals zero.

## Signs
- A parameter requires grad, its module ran in training, and its gradient is None or exactly zero at every step.
- The error "does not require grad" at backward.
- The layers concerned never move.

## Fix
Remove the cut; detach only for logging, and only the copy that is logged.

```python
hidden = encoder(inputs)                  # was encoder(inputs).detach()
loss = criterion(decoder(hidden), targets)
loss.backward()
running += loss.item()                    # for the log, after backward
```

Where a choice must be discrete, use a surrogate: softmax instead of argmax, Gumbel-softmax, or the straight-through
form `hard + soft - soft.detach()`.

## What not to do
- Do not write `loss.requires_grad_(True)` or wrap it in a new tensor: the error goes away and the learning with it.
- Do not pass `allow_unused=True` or `find_unused_parameters=True` to silence the message.

## Often confused with
- `frozen-layers`: requires_grad is False.
- `params-not-in-optimizer`: the gradient arrives and is ignored.
- `dead-relus`: the gradient is zero because every unit is off; the graph is whole.
- `symmetric-init`: all-zero weights pass zero gradients on, through a whole graph.
- A target network, a stop-gradient in self-distillation and truncated backpropagation are cuts made on purpose.

## Verify
After one backward: `[name for name, p in model.named_parameters() if p.grad is None or not p.grad.any()]` is empty.
To find a cut, print `.grad_fn` of the intermediate results from the loss backwards: the cut is at the first None.

## References
- PyTorch documentation, "Autograd mechanics".
- PyTorch documentation, `torch.Tensor.detach`.
- E. Jang, S. Gu, B. Poole, "Categorical Reparameterization with Gumbel-Softmax", ICLR 2017.
- Y. Bengio, N. Léonard, A. Courville, "Estimating or Propagating Gradients Through Stochastic Neurons", 2013.
"""

from __future__ import annotations

import ast

from ..edits import Edits, Source
from ..edits.layers import (
    in_parentheses,
    in_training,
)
from ..edits.loops import (
    training_nodes,
)
from ..edits.source import callee
from ..record import Run
from ..record.site import site_of
from ..signs import Signs
from ..wording import counted, listed
from ._base import Fix
from ._fixing import begin, fixed

ID = "detached-graph"
FAMILY = "optimizer"
SETTLED_BY = ("check",)
TITLE = "Gradient does not reach the weights (graph detached)"
MEANS = (
    "The graph is cut between loss and weights (detach, no_grad, .data, numpy, argmax), so part of the model "
    "loses the gradient of a loss term."
)
FOR = {
    "crash-no-graph": 6.5,
    "params-without-gradient": 5.5,
    "params-zero-gradient": 3.0,
    "params-never-move": 0.7,
    "one-batch-not-learnt": 0.7,
    "loss-stuck": 0.5,
    "training-at-chance": 0.3,
    "gradients-zero": 0.7,
}
AGAINST = {
    "fresh-layers-frozen": 2.0,
    "dead-units": 2.5,
    "rows-identical": 2.0,
    "saturated-units": 1.5,
    "gradient-underflow": 2.0,
    "gradients-vanish-with-depth": 1.0,
    "class-ids-in-regression-loss": 0.5,
}
REQUIRES = ("crash-no-graph", "params-without-gradient", "params-zero-gradient")
EXPLAINS = (
    "lr-too-low",
    "model-too-small",
    "undertrained",
    "vanishing-gradients",
    "params-not-in-optimizer",
    "noisy-labels",
)
AVOID = (
    "Do not write loss.requires_grad_(True): the error goes away and the learning with it.",
    "Do not silence the message with allow_unused or find_unused_parameters.",
)
VERIFY = "After one backward every trainable parameter has a gradient that is not None and not all zero."
REFERENCE = "PyTorch documentation, Autograd mechanics"

_CHECK = """\
for name, parameter in model.named_parameters():  # after loss.backward()
    if parameter.requires_grad and (parameter.grad is None or not parameter.grad.any()):
        print("no gradient reaches", name)"""
_AWAY = "keep detach, .data, item, numpy, no_grad and argmax out of the path from the weights to the loss"


def fix(run: Run, _signs: Signs) -> Fix:
    lost = [
        str(entry.get("name"))
        for entry in run.entries("params")
        if entry.get("requires_grad") and entry.get("grad") in ("none", "zero") and entry.get("ran")
    ]
    reached = (
        f" {counted(len(lost), 'parameter')} used in training never got a gradient: {listed(lost)}." if lost else ""
    )
    edits = begin(run)
    what = ""
    if edits is not None:
        cuts = _cuts(run, edits)
        kinds = {kind for kind, _, _ in cuts}
        if len(cuts) == 1 or (len(kinds) == 1 and kinds <= {"detach", "data"}):
            for kind, source, node in cuts:
                what = kind
                _remove(edits, kind, source, node)
    near = site_of(run.fact("error")) or site_of(next(iter(run.entries("losses")), None))
    if what and edits is not None and edits.patch():
        where = edits.place()
        line = f" in line {where[1]}" if where else ""
        return fixed(run, f"Remove the {_NAMES[what]} that cuts the graph{line}.{reached}", edits, _CHECK)
    return fixed(run, f"Let gradients through: {_AWAY}.{reached}", None, _CHECK, near=near)


_NAMES = {
    "detach": "`.detach()`",
    "data": "`.data`",
    "no_grad": "`no_grad` block",
    "new tensor": "new tensor made from the loss",
    "numpy": "numpy round trip",
}


def _cuts(run: Run, edits: Edits) -> list[tuple[str, Source, ast.AST]]:
    """What cuts the graph in the forward methods and in the loop, before backward."""
    found: list[tuple[str, Source, ast.AST]] = []
    for source, node in training_nodes(run, edits.project):
        if isinstance(node, ast.Call) and not in_training(node, source):
            continue
        if isinstance(node, ast.Call) and callee(node) == "detach" and not _leaves(source, node):
            found.append(("detach", source, node))
        elif isinstance(node, ast.Attribute) and node.attr == "data" and isinstance(node.ctx, ast.Load):
            if not isinstance(source.parents.get(node), ast.Attribute):
                found.append(("data", source, node))
        elif isinstance(node, ast.With) and any(
            callee(i.context_expr) in ("no_grad", "inference_mode") for i in node.items
        ):
            found.append(("no_grad", source, node))
        elif isinstance(node, ast.Call) and callee(node) in ("tensor", "as_tensor", "Tensor") and _of_item(node):
            found.append(("new tensor", source, node))
        elif isinstance(node, ast.Call) and callee(node) in ("from_numpy", "tensor", "as_tensor") and _of_numpy(node):
            found.append(("numpy", source, node))
    inner = {id(part) for kind, _, node in found if kind == "numpy" for part in ast.walk(node) if part is not node}
    return [item for item in found if id(item[2]) not in inner]


def _leaves(source: Source, node: ast.Call) -> bool:
    """Whether the detached value leaves the graph on purpose: a number to print, the state carried to the next step."""
    parent = source.parents.get(node)
    used = isinstance(parent, ast.Attribute) and parent.attr in ("item", "cpu", "numpy", "clone", "mean", "sum")
    return used or any(isinstance(above, (ast.comprehension, ast.GeneratorExp)) for above in source.ancestors(node))


def _of_item(node: ast.Call) -> bool:
    return bool(node.args) and callee(node.args[0]) == "item"


def _of_numpy(node: ast.Call) -> bool:
    return bool(node.args) and any(callee(part) == "numpy" for part in ast.walk(node.args[0]))


def _remove(edits: Edits, kind: str, source: Source, node: ast.AST) -> None:
    if isinstance(node, ast.Call) and kind == "detach" and isinstance(node.func, ast.Attribute):
        edits.splice(
            source, source.span(node.func.value)[1] + _closing(source, node.func.value), source.span(node)[1], ""
        )
    elif isinstance(node, ast.Attribute):
        edits.splice(source, source.span(node.value)[1] + _closing(source, node.value), source.span(node)[1], "")
    elif isinstance(node, ast.With):
        if len(node.items) == 1:
            edits.unwrap(source, node)
        else:
            edits.refuse()
    elif isinstance(node, ast.Call) and kind == "new tensor":
        statement = source.statement_of(node)
        item = node.args[0]
        owner = item.func.value if isinstance(item, ast.Call) and isinstance(item.func, ast.Attribute) else None
        if isinstance(statement, ast.Assign) and owner is not None:
            same = source.segment(statement.targets[0]) == source.segment(owner)
            if same and statement.value is node:
                edits.delete(source, statement)
            else:
                edits.replace(source, node, source.segment(owner))
    elif isinstance(node, ast.Call) and kind == "numpy":
        tensor = next(
            (
                p.func.value
                for p in ast.walk(node.args[0])
                if callee(p) == "numpy" and isinstance(p, ast.Call) and isinstance(p.func, ast.Attribute)
            ),
            None,
        )
        while (
            isinstance(tensor, ast.Call)
            and callee(tensor) in ("detach", "cpu")
            and isinstance(tensor.func, ast.Attribute)
        ):
            tensor = tensor.func.value
        if tensor is None or callee(node.args[0]) != "numpy":
            edits.refuse()
        else:
            edits.replace(source, node, in_parentheses(source, tensor))


def _closing(source: Source, node: ast.expr) -> int:
    """How many characters of closing parentheses lie between a node and the dot after it."""
    end = source.span(node)[1]
    return source.text.index(".", end) - end
