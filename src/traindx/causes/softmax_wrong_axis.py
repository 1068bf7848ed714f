"""Softmax (or an argmax, a norm, a mean) runs over the batch or time axis instead of the classes.

## What happens
The loss falls a little or not at all. What the model says about one sample depends on the others in its batch, so
results change with the batch size, and a batch of one gives probability 1 to everything.

## Why
softmax(z, dim=0) on scores of shape (N, C) makes each *column* sum to 1: the samples compete with each other for a
class, instead of the classes for a sample. A typical entry is 1/N, so -log p is about ln N whatever the model does:
with N = 64 that is 4.16, and it grows with the batch. The gradient asks other samples to give up their share. In
attention, softmax over queries instead of keys means that the weights a query gives do not sum to 1. Older code
without `dim` picks the axis by the number of dimensions: 0 for 1-D and 3-D tensors, 1 otherwise, so a (batch, time,
class) tensor is normalised over the batch.

## Signs
- Softmax is called with the batch dimension; columns, not rows, sum to one.
- Output i changes when sample j of the batch is changed, in eval mode and without batch norm.
- The loss settles near the log of the batch size.

## Fix
Name the class axis: the last one for (N, C) and (N, T, C), axis 1 for images (N, C, H, W).

```python
probabilities = scores.softmax(dim=-1)
attention = (queries @ keys.transpose(-2, -1) / keys.shape[-1] ** 0.5).softmax(dim=-1)  # over the keys
```

In front of `cross_entropy` leave softmax out altogether.

## What not to do
- Do not tune the learning rate: the loss compares samples with each other.
- Do not reduce the batch to one to make it work: softmax over one sample is the constant 1.

## Often confused with
- `double-softmax`: rows sum to one.
- `scrambled-axes`: a view has mixed the axes before softmax sees them.
- `noisy-labels`: stuck at chance as well, but outputs do not depend on the other samples.

## Verify
Each row sums to 1, and a sample's output is the same alone and within a batch (in eval mode).

## References
- PyTorch documentation: torch.nn.functional.softmax, argument dim.
- Vaswani et al.: Attention is all you need (2017), section 3.2.1.
"""

import ast
import math

from ..edits import Edits, Source, in_training
from ..record.forms import absent
from ..record.graph import Softmax
from ..wording import num
from ._fixing import Fix, Run, Signs, begin, fixed
from ._known import operation

FAMILY = "loss"
SETTLED_BY = ("check",)
TITLE = "Softmax over the wrong dimension"
FOR = {
    "softmax-over-batch": 6.0, "samples-mixed": 1.0, "one-batch-not-learnt": 0.7, "loss-stuck": 0.5,
    "loss-plateau": 0.5, "training-at-chance": 0.5, "validation-at-chance": 0.5,
}  # fmt: skip
REQUIRES = ("softmax-over-batch",)
EXPLAINS = ("double-softmax", "detached-graph")


def fix(run: Run, signs: Signs) -> Fix:
    """Name the class axis in the softmax call, with the shape that was seen."""
    near = operation(run, "softmax")
    softmaxes = [s for s in run.graph.softmaxes if len(s.shape) > 1]
    if any(len(s.shape) == 2 and s.shape[1] == 1 for s in softmaxes):
        summary = "Use sigmoid: the model gives one score per sample, and softmax needs one for each class."
        return fixed(run, summary, None, "probability = torch.sigmoid(score)", near=near)
    wrong = [s for s in softmaxes if s.dim == 0] or [s for s in softmaxes if s.over_queries]
    seen = (wrong or softmaxes or [absent(Softmax)])[0]
    sizes = seen.shape
    axis = _axis(sizes)
    measured = f" It ran over axis {seen.dim} of a tensor of shape {sizes}." if sizes else ""
    within = "over the keys" if wrong and wrong[0].over_queries else "within each sample"
    found = signs.get(REQUIRES[0])
    if found is None or found.values.get("into_loss") is not False:
        within = "over the classes"
        if sizes:
            measured = f"{measured[:-1]}; over the batch the loss stays near {num(math.log(max(sizes[0], 1)))}."
    edits = begin(run)
    places = _wrong(edits)
    if len(places) == 1:
        edits.replace(*places[0], axis)
    pattern = f"probabilities = scores.softmax(dim={axis})"
    return fixed(run, f"Run softmax {within} (dim={axis}).{measured}", edits, pattern, near=near)


def _axis(sizes: tuple[int, ...]) -> str:
    """The axis to normalise over: the channels of images, else the last one that has more than one entry."""
    if len(sizes) >= 4 and sizes[1] < sizes[2]:
        return "1"
    wide = [axis for axis in range(1, len(sizes)) if sizes[axis] > 1]
    return str(wide[-1]) if wide and wide[-1] != len(sizes) - 1 else "-1"


def _wrong(edits: Edits) -> list[tuple[Source, ast.expr]]:
    """The axis of each softmax in the model or the loss that is not the last one; the first axis where there is one."""
    found = []
    for source, call in edits.project.calls("softmax", "log_softmax", "Softmax", "LogSoftmax"):
        given = [keyword.value for keyword in call.keywords if keyword.arg in ("dim", "axis")]
        given += [part for part in call.args if isinstance(part, (ast.Constant, ast.UnaryOp))]
        if len(given) == 1 and in_training(call, source) and source.segment(given[0]) != "-1":
            found.append((source, given[0]))
    return [(s, n) for s, n in found if s.segment(n) == "0"] or found
