"""A view or reshape is used where a transpose is needed, or batch and time are swapped, so samples or features mix.

## What happens
All shapes match and nothing crashes, yet training is near chance, or far worse than it should be: pixels, time steps
or samples have changed places on the way. With batch and time swapped, a recurrent network carries its state from
one sample to the next.

## Why
`view` and `reshape` keep the order in memory and only change the sizes; `permute` and `transpose` change which index
means what. A tensor x of shape (B, T, D) has element (b, t, d) at offset (b·T + t)·D + d. `x.view(T, B, D)`
puts at (t, b, d) the element at offset (t·B + b)·D + d, which is another sample's time step whenever B and T differ
from 1. The transpose `x.permute(1, 0, 2)` puts x[b, t, d] there. Both have the same shape, so no check complains.
The same holds for (N, H, W, C) images viewed as (N, C, H, W), where rows of pixels are taken for channels. If
entries cross from sample to sample, output i depends on input j, and with shuffled batches that is pure noise.

## Signs
- A view whose sizes are the old ones in another order, or a reshape after a transpose that takes another axis for
  the batch.
- A recurrent or attention layer with batch_first=False is given the batch first.
- In eval mode, the gradient of output i with respect to input j is not zero.
- Training at chance although one batch, repeated unchanged, can be memorised.

## Fix
```python
x = x.permute(1, 0, 2)  # (batch, time, features) -> (time, batch, features)
x = images.permute(0, 3, 1, 2)  # (N, H, W, C) -> (N, C, H, W)
heads = x.view(B, T, H, D // H).transpose(1, 2)  # split the last axis by view, then move it by transpose
merged = heads.transpose(1, 2).reshape(B, T, D)  # back in the same order
```

`torch.nn.RNN`, `LSTM` and `GRU` expect (time, batch, features) unless `batch_first=True`; `MultiheadAttention` too.

## What not to do
- Do not add `.contiguous()` to silence the error of `view` after `permute` without asking what the view means.
- Do not tune anything: the information is gone before the first layer that learns.

## Often confused with
- `noisy-labels`: the same curves; labels are wrong instead of inputs.
- `softmax-wrong-axis`: samples mix too, at the end instead of on the way.
- `broadcast-loss`: samples mix in the loss.
- `model-too-small`: outputs depend only on their own sample.

## Verify
Change one sample of a batch in eval mode: only its own output changes.

## References
- PyTorch documentation: Tensor views; torch.Tensor.view; torch.permute.
- Karpathy: A recipe for training neural networks (2019), on using backpropagation to chart dependencies.
"""

import ast

from ..edits import Source, add_keyword, argument, callee, module_uses
from ..record.forms import absent
from ..record.graph import Operation
from ._fixing import Fix, Run, Signs, begin, fixed

FAMILY = "data"
MISLEADS = "all"
SETTLED_BY = ("check",)
TITLE = "view/reshape instead of transpose scrambles the axes"
FOR = {
    "axes-scrambled": 5.5, "samples-mixed": 5.0, "training-at-chance": 0.7, "validation-at-chance": 0.7,
    "loss-stuck": 0.5, "loss-plateau": 0.5, "memorising": 0.3,
}  # fmt: skip
REQUIRES = ("axes-scrambled", "samples-mixed")

_PATTERN = """\
x = x.permute(1, 0, 2)  # moves axes; view(T, B, D) keeps the memory order and mixes samples
lstm = torch.nn.LSTM(features, hidden, batch_first=True)  # where the batch comes first
"""


def fix(run: Run, _signs: Signs) -> Fix:
    """The permute that gives the shape the view was meant to give."""
    edits = begin(run)
    views = [call for call in run.ops if call.op.lower() in ("view", "reshape")]
    # A view of the inputs themselves is not in the graph, so the script's own calls are gone through as well.
    known = [(found.started_as, found.became) for found in run.graph.view_permutes]
    own = [(old, view.shape_out or ()) for view in views for old in view.shapes_in]
    for old, new in [*known, *own]:
        if len(old) < 2 or old == new or sorted(old) != sorted(new):
            continue
        axes = _moved(old, new)
        call = next((view for view in views if _turns(view, old, new)), absent(Operation))
        places = edits.project.calls_at(call.site, "view", "reshape")
        if not places and (old, new) not in known:  # a view inside a library
            continue
        if len(places) == 1 and isinstance(places[0][1].func, ast.Attribute):
            source, node = places[0]
            start = source.span(node.func)[1] - len(callee(node) or "")
            edits.splice(source, start, source.span(node)[1], f"permute({axes})")
        summary = (
            f"Move the axes with permute: a view from {old} to {new} keeps the memory order and mixes the entries."
        )
        return fixed(run, summary, edits, f"x = x.permute({axes})  # {old} -> {new}", near=call)
    recurrent = edits.project.calls("LSTM", "GRU", "RNN")
    if len(recurrent) == 1 and argument(recurrent[0][1], "batch_first", "LSTM") is None:
        add_keyword(edits, *recurrent[0], "batch_first=True")
        summary = "Tell the recurrent layer that the batch is the first axis: without batch_first it reads time first."
        return fixed(run, summary + _also_time_first(*recurrent[0]), edits, _PATTERN)
    summary = "Move axes with permute or transpose; use view only to split or merge neighbouring axes."
    return fixed(run, summary, None, _PATTERN, near=next(iter(views), None))


def _also_time_first(source: Source, made: ast.Call) -> str:
    """What else in the class takes time for the first axis, in words: the last output, and a view that swaps the axes.

    Whether a view swaps them is for the user to say, so nothing of this is edited.
    """
    scope: ast.AST = source.class_of(made) or source.tree
    nodes = list(ast.walk(scope))
    runs = {ast.unparse(use.func) for use in module_uses(source, made)}
    outputs: set[str] = set()
    inputs: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and ast.unparse(node.value.func) in runs:
            target = node.targets[0]
            outputs.add(ast.unparse(target.elts[0] if isinstance(target, ast.Tuple) else target))
            inputs |= {ast.unparse(given) for given in node.value.args[:1]}
    words = [
        f" Then the last step is `{ast.unparse(node.value)}[:, -1]`, not `{ast.unparse(node)}` (line {node.lineno})."
        for node in nodes
        if isinstance(node, ast.Subscript) and ast.unparse(node.value) in outputs and ast.unparse(node.slice) == "-1"
    ]
    for node in [node for node in nodes if isinstance(node, ast.Assign)]:
        if callee(node.value) in ("view", "reshape") and ast.unparse(node.targets[0]) in inputs:
            text = f"`{ast.unparse(node.value)}` (line {node.lineno})"
            words.append(f" And {text} has to give (batch, time, features): name the sizes in that order.")
    return "".join(words)


def _moved(old: tuple[int, ...], new: tuple[int, ...]) -> str:
    """The arguments of the permute that turns one shape into the other. Axes of equal size keep their order."""
    left = list(range(len(old)))
    axes = []
    for size in new:
        axis = next(axis for axis in left if old[axis] == size)
        left.remove(axis)
        axes.append(str(axis))
    return ", ".join(axes)


def _turns(view: Operation, old: tuple[int, ...], new: tuple[int, ...]) -> bool:
    """Whether it is that view: by its result's shape, and its input's where the record has it."""
    return (view.shape_out or ()) == new and (not view.shapes_in or old in view.shapes_in)
