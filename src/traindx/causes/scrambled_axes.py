"""A view or reshape stands where a transpose was needed, so samples or features are mixed up.

## What happens

All shapes fit and nothing crashes, yet training is near chance, or far worse than it should be: pixels, time steps
or samples have changed places on the way. With batch and time swapped, a recurrent network carries its state from
one sample to the next.

## Why

`view` and `reshape` keep the order in memory and only redraw the borders; `permute` and `transpose` change which
index means what. A tensor x of shape (B, T, D) has element (b, t, d) at offset (b·T + t)·D + d. `x.view(T, B, D)`
puts at (t, b, d) the element at offset (t·B + b)·D + d, which is another sample's time step whenever B and T differ
from 1. The transpose `x.permute(1, 0, 2)` puts x[b, t, d] there. Both have the same shape, so no check complains.
The same holds for (N, H, W, C) images viewed as (N, C, H, W), where rows of pixels are taken for channels. If
entries cross from sample to sample, output i depends on input j, and with shuffled batches that is pure noise.

## Signs

- A view whose sizes are the old ones in another order, or a reshape after a transpose that takes another axis for the
  batch.
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

from collections.abc import Mapping
from typing import Any

from ..record import Run
from ..signs import Signs
from ._base import Fix
from ._facts import items, shape, was
from ._known import entries, record, site_of

ID = "scrambled-axes"
FAMILY = "data"
SETTLED_BY = ("check",)
TITLE = "Axes are scrambled by a view or reshape"
MEANS = "A view stands where a transpose was needed (or batch and time are swapped), so samples or features mix."
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

_GENERAL = """\
x = x.permute(1, 0, 2)  # moves axes; view(T, B, D) would only redraw the borders
lstm = torch.nn.LSTM(features, hidden, batch_first=True)  # where the batch comes first
"""


def fix(run: Run, _signs: Signs) -> Fix:
    """The permute that gives the shape the view was meant to give."""
    for found in items(record(run, "graph").get("view_permutes")):
        old, new = shape(found, "from"), shape(found, "to")
        axes = _permutation(old, new)
        if axes is not None:
            location = site_of(_call(run, old, new))
            code = f"x = x.permute({', '.join(map(str, axes))})  # {old} -> {new}\n"
            summary = (
                f"Move the axes with permute: a view from {old} to {new} keeps the memory order and mixes the entries."
            )
            return Fix(summary, was(location) + code, location)
    calls = [call for call in entries(run, "ops") if _reshapes(call)]
    location = site_of(calls[0]) if calls else None
    return Fix(
        "Move axes with permute or transpose; use view only to split or merge neighbouring axes.", _GENERAL, location
    )


def _permutation(old: tuple[int, ...], new: tuple[int, ...]) -> list[int] | None:
    """Which old axis each new axis is; the first that fits where sizes repeat."""
    if len(old) < 2 or sorted(old) != sorted(new):
        return None
    left = list(range(len(old)))
    axes = []
    for size in new:
        axis = next(axis for axis in left if old[axis] == size)
        left.remove(axis)
        axes.append(axis)
    return axes


def _reshapes(call: Mapping[str, Any]) -> bool:
    return str(call.get("op")).lower() in ("view", "reshape")


def _call(run: Run, old: tuple[int, ...], new: tuple[int, ...]) -> Mapping[str, Any] | None:
    """The recorded call of that view: by its result's shape, and its input's where the record has it."""
    for call in entries(run, "ops"):
        given = call.get("shapes_in")
        inputs = [shape({"shape": size}) for size in given] if isinstance(given, (list, tuple)) else []
        if (
            _reshapes(call)
            and shape(call, "shape_out") == new
            and (not inputs or old in inputs or shape(call, "shapes_in") == old)
        ):
            return call
    return None
