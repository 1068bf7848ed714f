"""view or reshape is used where a transpose is needed, so samples or features are mixed up.

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

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any

from ..edits.arguments import add_keyword, argument
from ..edits.source import callee
from ..record import Run
from ..record.site import site_of
from ..record.values import entries
from ..signs import Signs
from ._base import Fix
from ._facts import shape
from ._fixing import begin, fixed

ID = "scrambled-axes"
FAMILY = "data"
MISLEADS = "all"
SETTLED_BY = ("check",)
TITLE = "view/reshape instead of transpose scrambles the axes"
MEANS = "A view is used where a transpose is needed (or batch and time are swapped), so samples or features mix."
FOR = {
    "axes-scrambled": 5.5,
    "samples-mixed": 5.0,
    "training-at-chance": 0.7,
    "validation-at-chance": 0.7,
    "loss-stuck": 0.5,
    "loss-plateau": 0.5,
    "memorising": 0.3,
}
AGAINST = {"loss-at-floor": 2.0, "softmax-over-batch": 1.0, "loss-not-finite": 1.0}
REQUIRES = ("axes-scrambled", "samples-mixed")
EXPLAINS = ("noisy-labels", "model-too-small", "overfitting", "train-val-mismatch", "lr-too-low", "undertrained")
AVOID = (
    "Do not add .contiguous() to silence the error of view after permute without asking what the view means.",
    "Do not tune anything before this: the information is gone before the first layer that learns.",
)
VERIFY = "Change one sample of a batch in eval mode: only its own output changes."
REFERENCE = (
    "PyTorch documentation, Tensor views and torch.permute; Karpathy, A recipe for training neural networks, 2019"
)

_PATTERN = """\
x = x.permute(1, 0, 2)  # moves axes; view(T, B, D) keeps the memory order and mixes samples
lstm = torch.nn.LSTM(features, hidden, batch_first=True)  # where the batch comes first
"""


def fix(run: Run, _signs: Signs) -> Fix:
    """The permute that gives the shape the view was meant to give."""
    edits = begin(run)
    for found in entries(run.fact("graph").get("view_permutes")):
        old, new = shape(found, "from"), shape(found, "to")
        axes = _permutation(old, new)
        if axes is None:
            continue
        call = _call(run, old, new)
        places = edits.project.calls_at((call or {}).get("site"), "view", "reshape") if edits is not None else []
        if edits is not None and len(places) == 1 and isinstance(places[0][1].func, ast.Attribute):
            source, node = places[0]
            start = source.span(node.func)[1] - len(callee(node) or "")
            edits.splice(source, start, source.span(node)[1], f"permute({', '.join(map(str, axes))})")
        summary = (
            f"Move the axes with permute: a view from {old} to {new} keeps the memory order and mixes the entries."
        )
        pattern = f"x = x.permute({', '.join(map(str, axes))})  # {old} -> {new}"
        return fixed(run, summary, edits, pattern, near=site_of(call))
    recurrent = edits.project.calls("LSTM", "GRU", "RNN") if edits is not None else []
    if edits is not None and len(recurrent) == 1 and argument(recurrent[0][1], "batch_first", "LSTM") is None:
        add_keyword(edits, *recurrent[0], "batch_first=True")
        summary = "Tell the recurrent layer that the batch is the first axis: without batch_first it reads time first."
        return fixed(run, summary, edits, _PATTERN)
    calls = [call for call in run.entries("ops") if _reshapes(call)]
    summary = "Move axes with permute or transpose; use view only to split or merge neighbouring axes."
    return fixed(run, summary, None, _PATTERN, near=site_of(calls[0]) if calls else None)


def _permutation(old: tuple[int, ...], new: tuple[int, ...]) -> list[int] | None:
    """Which old axis each new axis is; None where sizes repeat and the axes cannot be told apart."""
    if len(old) < 2 or sorted(old) != sorted(new) or len(set(old)) != len(old):
        return None
    return [old.index(size) for size in new]


def _reshapes(call: Mapping[str, Any]) -> bool:
    return str(call.get("op")).lower() in ("view", "reshape")


def _call(run: Run, old: tuple[int, ...], new: tuple[int, ...]) -> Mapping[str, Any] | None:
    """The recorded call of that view: by its result's shape, and its input's where the record has it."""
    for call in run.entries("ops"):
        given = call.get("shapes_in")
        inputs = [shape({"shape": size}) for size in given] if isinstance(given, (list, tuple)) else []
        known = not inputs or old in inputs or shape(call, "shapes_in") == old
        if _reshapes(call) and shape(call, "shape_out") == new and known:
            return call
    return None
