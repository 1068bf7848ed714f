"""The graph is cut between loss and weights (detach, no_grad, .data, numpy, argmax), so part of the model loses the
gradient of a loss term.

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
After one backward every trainable parameter has a gradient that is not None and not all zero.

In short: `[name for name, p in model.named_parameters() if p.grad is None or not p.grad.any()]` is empty. To find a
cut, print `.grad_fn` of the intermediate results from the loss backwards: the cut is at the first None.

## References
- PyTorch documentation, "Autograd mechanics".
- PyTorch documentation, `torch.Tensor.detach`.
- E. Jang, S. Gu, B. Poole, "Categorical Reparameterization with Gumbel-Softmax", ICLR 2017.
- Y. Bengio, N. Léonard, A. Courville, "Estimating or Propagating Gradients Through Stochastic Neurons", 2013.
"""

import ast

from ..edits import (
    Edits,
    Source,
    assigned_before,
    callee,
    in_parentheses,
    in_training,
    models_called,
    optimizer_in,
    training_nodes,
    without_gradients,
)
from ._fixing import Fix, Run, Signs, begin, fixed, said

FAMILY = "optimizer"
SETTLED_BY = ("check",)
TITLE = "Gradient does not reach the weights (graph detached)"
FOR = {
    "crash-no-graph": 6.5, "params-without-gradient": 5.5, "params-zero-gradient": 3.0, "params-never-move": 0.7,
    "one-batch-not-learnt": 0.7, "loss-stuck": 0.5, "training-at-chance": 0.3, "gradients-zero": 0.7,
}  # fmt: skip
REQUIRES = ("crash-no-graph", "params-without-gradient", "params-zero-gradient")
EXPLAINS = ("params-not-in-optimizer",)

_CHECK = """\
for name, parameter in model.named_parameters():  # after loss.backward()
    if parameter.requires_grad and (parameter.grad is None or not parameter.grad.any()):
        print("no gradient reaches", name)"""
_AWAY = "keep detach, .data, item, numpy, no_grad and argmax out of the path from the weights to the loss"
_OUT_OF_GRAPH = ("detach", "data", "shape", "size", "device", "dtype")
_NAMES = {
    "detach": "`.detach()`",
    "data": "`.data`",
    "no_grad": "`no_grad` block",
    "new tensor": "new tensor made from the loss",
    "numpy": "numpy round trip",
}


def fix(run: Run, signs: Signs) -> Fix:
    lost = said(signs, "params-without-gradient", "params-zero-gradient")
    edits = begin(run)
    cuts = _cuts(run, edits)
    kinds = {kind for kind, _, _ in cuts}
    if len(cuts) == 1 or (len(kinds) == 1 and kinds <= {"detach", "data"}):
        others: list[ast.Name] = []
        for kind, source, node in cuts:
            _remove(edits, kind, source, node)
            uses = _uses_for_others(edits, source, node) if kind in ("detach", "data") else []
            for use in uses:
                edits.replace(source, use, f"{use.id}.detach()")
            others += uses
        if place := edits.place():
            elsewhere = ""
            if others:
                lines = " and ".join(str(line) for line in sorted({use.lineno for use in others}))
                elsewhere = (
                    f", and detach `{others[0].id}` in line {lines} instead, where another model is trained on it"
                )
            summary = f"Remove the {_NAMES[kinds.pop()]} that cuts the graph in line {place[1]}{elsewhere}.{lost}"
            return fixed(run, summary, edits, _CHECK)
    near = run.error.site or next((loss.site for loss in run.losses[:1]), None)
    return fixed(run, f"Let gradients through: {_AWAY}.{lost}", None, _CHECK, near=near)


def _cuts(run: Run, edits: Edits) -> list[tuple[str, Source, ast.AST]]:
    """What cuts the graph in the forward methods and in the loop, before backward."""
    found: list[tuple[str, Source, ast.AST]] = []
    for source, node in training_nodes(run, edits.project):
        made = callee(node)
        if isinstance(node, ast.Call) and not in_training(node, source):
            continue
        if isinstance(node, ast.Call) and made == "detach" and not _leaves(source, node):
            found.append(("detach", source, node))
        elif isinstance(node, ast.Attribute) and node.attr == "data" and isinstance(node.ctx, ast.Load):
            if not isinstance(source.parents.get(node), ast.Attribute):
                found.append(("data", source, node))
        elif isinstance(node, ast.With) and without_gradients(item.context_expr for item in node.items):
            found.append(("no_grad", source, node))
        elif isinstance(node, ast.Call) and node.args and made in ("tensor", "as_tensor", "Tensor", "from_numpy"):
            if callee(node.args[0]) == "item" and made != "from_numpy":
                found.append(("new tensor", source, node))
            elif made != "Tensor" and any(callee(part) == "numpy" for part in ast.walk(node.args[0])):
                found.append(("numpy", source, node))
    inner = {id(part) for kind, _, node in found if kind == "numpy" for part in ast.walk(node) if part is not node}
    return [item for item in found if id(item[2]) not in inner]


def _uses_for_others(edits: Edits, source: Source, cut: ast.AST) -> list[ast.Name]:
    """Where the variable that a cut is assigned to enters the loss of another model than the one that makes it.

    A generator's images train the discriminator too: there the graph has to stay cut. The statements that follow are
    taken in parts, each up to a backward; the optimizer that steps next says which model the part trains. No edit is
    made where that is not known.
    """
    made = source.statement_of(cut)
    if not isinstance(made, ast.Assign) or made.value is not cut or not isinstance(made.targets[0], ast.Name):
        return []
    name, makers = made.targets[0].id, set(models_called(source, made))
    block = source.block_of(made)
    following = block[block.index(made) + 1 :]
    found: list[ast.Name] = []
    parts: list[tuple[list[ast.Name], set[str]]] = []  # the uses in each part, and the models that it trains
    for place, statement in enumerate(following):
        nodes = list(ast.walk(statement))
        found += [node for node in nodes if isinstance(node, ast.Name) and node.id == name and _in_graph(source, node)]
        if any(isinstance(node, ast.Call) and callee(node) == "backward" for node in nodes):
            parts.append((found, _trained_next(source, following[place:])))
            found = []
    used = [part for part in parts if part[0]]
    if len(used) < 2:
        return []
    if not makers or not all(models for _, models in used):
        edits.refuse()
    return [use for uses, models in used if not models & makers for use in uses]


def _for_another(source: Source, cut: ast.Call) -> bool:
    """Whether a variable is detached in the loss of another model than the one that made it, as it should be."""
    owner, statement = _owner(cut), source.statement_of(cut)
    made = assigned_before(source, owner.id, statement) if isinstance(owner, ast.Name) else None
    if made is None:
        return False
    block = source.block_of(statement)
    following = block[block.index(statement) :]
    backward = (i for i, s in enumerate(following) if any(callee(node) == "backward" for node in ast.walk(s)))
    trained = _trained_next(source, following[next(backward, len(following)) :])
    makers = set(models_called(source, made))
    return bool(makers and trained) and not makers & trained


def _in_graph(source: Source, use: ast.Name) -> bool:
    """Whether a variable is read as it is: not written, and not detached already."""
    above = source.parents.get(use)
    return isinstance(use.ctx, ast.Load) and not (isinstance(above, ast.Attribute) and above.attr in _OUT_OF_GRAPH)


def _trained_next(source: Source, statements: list[ast.stmt]) -> set[str]:
    """The models whose parameters the optimizer was given that makes the first step in these statements."""
    calls = [node for statement in statements for node in ast.walk(statement) if isinstance(node, ast.Call)]
    name = next((optimizer_in(call) for call in calls if callee(call) == "step"), None)
    made = [
        node.value
        for node in source.walk(ast.Assign)
        if isinstance(node, ast.Assign) and name in [ast.unparse(target) for target in node.targets]
    ]
    given = [node for value in made for node in ast.walk(value) if callee(node) == "parameters"]
    return {ast.unparse(owner) for node in given if (owner := _owner(node)) is not None}


def _leaves(source: Source, node: ast.Call) -> bool:
    """Whether the detached value leaves the graph on purpose: a number to print, the state carried to the next step."""
    parent = source.parents.get(node)
    used = isinstance(parent, ast.Attribute) and parent.attr in ("item", "cpu", "numpy", "clone", "mean", "sum")
    return (
        used
        or _for_another(source, node)
        or any(isinstance(above, (ast.comprehension, ast.GeneratorExp)) for above in source.ancestors(node))
    )


def _remove(edits: Edits, kind: str, source: Source, node: ast.AST) -> None:
    if isinstance(node, ast.With):
        if len(node.items) == 1:
            edits.unwrap(source, node)
        else:
            edits.refuse()
    elif isinstance(node, ast.Attribute):
        _cut_off(edits, source, node.value, node)
    elif isinstance(node, ast.Call) and kind == "detach" and (owner := _owner(node)) is not None:
        _cut_off(edits, source, owner, node)
    elif isinstance(node, ast.Call) and kind == "new tensor":
        statement, owner = source.statement_of(node), _owner(node.args[0])
        if isinstance(statement, ast.Assign) and owner is not None:
            same = source.segment(statement.targets[0]) == source.segment(owner)
            if same and statement.value is node:
                edits.delete(source, statement)
            else:
                edits.replace(source, node, source.segment(owner))
    elif isinstance(node, ast.Call) and kind == "numpy":
        tensor = _owner(node.args[0]) if callee(node.args[0]) == "numpy" else None
        while tensor is not None and callee(tensor) in ("detach", "cpu", None) and _owner(tensor) is not None:
            tensor = _owner(tensor)
        if tensor is None:
            edits.refuse()
        else:
            edits.replace(source, node, in_parentheses(source, tensor))


def _owner(call: ast.AST | None) -> ast.expr | None:
    """What a method is called on."""
    return call.func.value if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) else None


def _cut_off(edits: Edits, source: Source, kept: ast.expr, node: ast.expr) -> None:
    """Removes what follows an expression, from the dot on: closing parentheses may stand before it."""
    dot = source.text.index(".", source.span(kept)[1])
    edits.splice(source, dot, source.span(node)[1], "")
