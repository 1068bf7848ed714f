"""Half precision runs out of range or resolution: overflow, underflow, or updates too small to register.

## What happens

One of four pictures. The loss becomes NaN or Inf early in float16. Or gradients are partly zero, and learning is
slow or stops. Or Adam divides by an eps that has become 0. Or weights kept in bfloat16 stop changing although
gradients are healthy.

## Why

| format | largest | smallest normal | smallest > 0 | spacing near 1 |
|---|---|---|---|---|
| float32 | 3.4e38 | 1.2e-38 | 1.4e-45 | 1.2e-7 |
| float16 | 65 504 | 6.1e-5 | 6.0e-8 | 9.8e-4 |
| bfloat16 | 3.4e38 | 1.2e-38 | 9.2e-41 | 7.8e-3 |

Range: a float16 product above 65 504 is Inf; exp overflows above 11.09; squaring anything above 256 overflows.
Gradients of 1e-8 are common and are zero in float16. Loss scaling multiplies the loss by S before backward and
divides the gradients by S after it, which lifts them into range; `GradScaler` finds S by halving at each Inf and
skips that step, so a few skipped steps are normal. eps = 1e-8 rounds to 0 in float16.

Resolution: w + Δ = w whenever Δ is below half the spacing at w: in bfloat16 about 1/512 to 1/256 of w. Healthy
updates are near a thousandth of w, so most of them are lost. That is why weights and optimizer state stay in
float32 and only the arithmetic is done in half precision.

## Signs

- float16 tensors and largest finite values near 65 504; float16 autocast without a scaler.
- A large share of gradient elements exactly zero, in half precision only.
- A large share of weights unchanged by a step.

## Fix

Keep the weights in float32, use autocast, and scale the loss if the format is float16. bfloat16 needs no scaler.

```python
scaler = torch.amp.GradScaler("cuda")
with torch.autocast("cuda", dtype=torch.float16):
    loss = loss_function(model(x), y)
scaler.scale(loss).backward()
scaler.unscale_(optimizer)
torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
scaler.step(optimizer)
scaler.update()
```

## What not to do

- Do not call `model.half()` or `model.bfloat16()` for training with an ordinary optimizer.
- Do not lower the learning rate: smaller updates are lost even more surely.
- Do not fix the scale at a huge constant: it overflows once gradients grow.

## Often confused with

- `unstable-math`: the same operation fails in float32 as well.
- `lr-too-high`: NaN in float32 too, after growing updates.
- `vanishing-gradients`: gradients tiny in float32 and falling with depth.

## Verify

The same steps in float32 are finite and learn; in half precision fewer than about one step in a hundred is skipped.

## References

- Micikevicius et al.: Mixed precision training (2018).
- PyTorch documentation: Automatic Mixed Precision package (torch.amp).
"""

from __future__ import annotations

import ast

from ..edits import Edits, Source
from ..edits.layers import (
    rename_call,
)
from ..record import Run
from ..record.values import mapping, number
from ..signs import Signs
from ..wording import percent
from ._base import Fix
from ._facts import model_site
from ._fixing import begin, fixed

ID = "low-precision"
FAMILY = "loss"
TITLE = "Half precision overflow or underflow"
MEANS = "The range or resolution of half precision is exceeded: overflow, or gradients, eps or updates that underflow."
FOR = {
    "half-precision-overflow": 5.0,
    "half-precision-unscaled": 3.0,
    "gradient-underflow": 3.0,
    "updates-lost-to-rounding": 4.5,
    "steps-skipped": 1.5,
    "loss-not-finite": 0.5,
}
AGAINST = {
    "input-nonfinite": 4.0,
    "target-nonfinite": 4.0,
    "clip-before-unscale": 2.0,
    "update-ratio-high": 1.0,
    "loss-at-floor": 2.0,
}
REQUIRES = (
    "half-precision-overflow",
    "half-precision-unscaled",
    "gradient-underflow",
    "updates-lost-to-rounding",
    "steps-skipped",
)
EXPLAINS = (
    "unstable-math",
    "vanishing-gradients",
    "lr-too-low",
    "exploding-gradients",
    "lr-too-high",
    "optimizer-misconfigured",
)
AVOID = (
    "Do not call model.half() for training: updates are then lost to rounding.",
    "Do not lower the learning rate: smaller updates are lost even more surely.",
)
VERIFY = (
    "The same steps in float32 are finite and learn; in half precision fewer than one step in a hundred is skipped."
)
REFERENCE = "Micikevicius et al., Mixed precision training, 2018; PyTorch documentation, torch.amp"

_MASTER = """\
model = model.float()  # weights and optimizer state in float32
with torch.autocast("{device}", dtype=torch.bfloat16):  # only the arithmetic in half precision
    loss = loss_function(model(x), y)
loss.backward()
"""
_BFLOAT = """\
with torch.autocast("{device}", dtype=torch.bfloat16):  # float32's range; no loss scaling needed
    loss = loss_function(model(x), y)
"""
_WORDS = {
    "keras": 'keras.mixed_precision.set_global_policy("mixed_bfloat16")  # or "float32"',
    "huggingface": "TrainingArguments(..., bf16=True, fp16=False)",
    "lightning": 'Trainer(..., precision="bf16-mixed")',
}


def fix(run: Run, _signs: Signs) -> Fix:
    """float32 weights where the weights are half; bfloat16 where float16 is only computed in."""
    precision = run.fact("precision")
    devices = run.facts.get("devices")
    device = "cuda" if isinstance(devices, (list, tuple)) and any("cuda" in str(item) for item in devices) else "cpu"
    sizes = mapping(precision.get("param_dtypes"))
    half = sum(number(sizes.get(name)) or 0.0 for name in sizes if "float16" in name)
    edits = begin(run)
    near = model_site(run)
    if half:
        total = sum(number(sizes.get(name)) or 0.0 for name in sizes)
        unchanged = number(precision.get("unchanged_share"))
        measured = f" {half:.0f} of {total:.0f} weights are kept in half precision."
        if unchanged is not None:
            measured += f" A step leaves {percent(unchanged)} of them unchanged."
        if edits is not None:
            _to_float32(edits)
        summary = f"Keep the weights in float32.{measured}"
        return fixed(run, summary, edits, _MASTER.format(device=device), near=near, words=_WORDS)
    underflow = number(precision.get("grad_underflow"))
    measured = f" {percent(underflow)} of the gradient's elements are exactly zero." if underflow is not None else ""
    skipped = len(run.events_of("step-skipped"))
    measured += f" {skipped} steps were skipped." if skipped else ""
    if edits is not None:
        for source, node in _half_dtypes(edits):
            edits.replace(source, node, source.segment(node).replace(node.attr, "bfloat16"))
    summary = f"Compute in bfloat16 instead of float16: it has float32's range.{measured}"
    return fixed(run, summary, edits, _BFLOAT.format(device=device), near=near, words=_WORDS)


def _half_dtypes(edits: Edits) -> list[tuple[Source, ast.Attribute]]:
    return [
        (source, node)
        for source in edits.project.sources
        for node in source.walk(ast.Attribute)
        if isinstance(node, ast.Attribute) and source.segment(node) in ("torch.float16", "torch.half")
    ]


def _to_float32(edits: Edits) -> None:
    for source, node in _half_dtypes(edits):
        edits.replace(source, node, "torch.float32")
    for source, call in edits.project.calls("half", "bfloat16"):
        if not call.args and isinstance(call.func, ast.Attribute):
            rename_call(edits, source, call, "float")
    for source in edits.project.sources:
        for other in source.walk(ast.Attribute):
            if isinstance(other, ast.Attribute) and source.segment(other) == "torch.bfloat16":
                edits.replace(source, other, "torch.float32")
