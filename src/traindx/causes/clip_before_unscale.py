"""Clipping is applied to gradients that still carry the loss scale, so the effective threshold is far too low.

## What happens
Nearly every step is clipped, whatever the threshold, and learning is slow; with Adam the slowdown changes whenever the
loss scale changes. The code looks right, because there is a clipping call and a scaler.

## Why
With a GradScaler, backward runs on S·L, with S often 65 536, so the gradients in `.grad` are S times too large
until `unscale_` divides them. Clipping at c in that state makes the norm min(S‖g‖, c); after unscaling by
`scaler.step` it is min(‖g‖, c/S). The true threshold is c/S: 1/65 536 = 1.5e-5 instead of 1. It also jumps by a
factor of two whenever the scaler changes S.

## Signs
- `clip_grad_norm_` was called after a scaled backward, and `unscale_` was not called before it.
- The norm that clipping sees is thousands of times the ordinary one; almost every step is clipped.

## Fix
```python
scaler.scale(loss).backward()
scaler.unscale_(optimizer)  # once per optimizer and step
torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm=1.0)
scaler.step(optimizer)  # knows that the gradients are already unscaled
scaler.update()
```

With gradient accumulation, unscale and clip only at the step, not after each backward.

## What not to do
- Do not multiply the threshold by the scale: the scale changes during the run.
- Do not raise the learning rate to make up for it: the clipping factor varies from step to step.
- Do not call `unscale_` twice in one step: it raises an error.

## Often confused with
- `clip-too-tight`: the threshold itself is too low, without a scaler.
- `lr-too-low`: nothing is clipped.
- `low-precision`: gradients overflow or underflow, whether clipped or not.

## Verify
The norm that clipping sees is of ordinary size (about 0.1 to 10), and only a small share of the steps is clipped.

## References
- PyTorch documentation: Automatic Mixed Precision examples, "Working with unscaled gradients".
- Micikevicius et al.: Mixed precision training (2018).
"""

import ast

from ..edits import step_calls
from ..record.course import Details
from ..record.forms import absent
from ._fixing import Fix, Run, Signs, begin, fixed, said
from ._known import first_event

FAMILY = "loss"
TITLE = "Gradients clipped before scaler.unscale_()"
FOR = {
    "clip-before-unscale": 7.0, "clip-share": 0.7, "clip-far-below-norm": 0.7, "loss-falling-slowly": 0.5,
    "update-ratio-low": 0.5,
}  # fmt: skip
REQUIRES = ("clip-before-unscale",)
EXPLAINS = ("low-precision",)


def fix(run: Run, signs: Signs) -> Fix:
    """unscale_ on the line before clipping, with the script's own names."""
    event = first_event(run, "clip-before-unscale")
    data = event.details if event else absent(Details)
    edits = begin(run)
    for source, clip in edits.project.calls_at(data.site, "clip_grad_norm_", "clip_grad_value_")[:1]:
        step = next((c for c in step_calls(edits.project, source, clip) if c.args), None)
        if step is not None and isinstance(step.func, ast.Attribute):
            scaler, name = source.segment(step.func.value), source.segment(step.args[0])
            edits.insert_before(source, source.statement_of(clip), f"{scaler}.unscale_({name})")
    pattern = "scaler.unscale_(optimizer)\ntorch.nn.utils.clip_grad_norm_(model.parameters(), max_norm=1.0)"
    summary = f"Unscale the gradients before clipping them.{said(signs, 'clip-before-unscale')}"
    return fixed(run, summary, edits, pattern, near=data)
