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
- Do not call `model.half()` or `model.bfloat16()` for training: an ordinary optimizer's updates are then lost to
  rounding.
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

import ast

from ..edits import Edits, rename_call
from ._fixing import Fix, Run, Signs, begin, fixed, number, said
from ._frameworks import words
from ._known import model_site

FAMILY = "loss"
TITLE = "Half precision overflow or underflow"
FOR = {
    "half-precision-overflow": 5.0, "half-precision-unscaled": 3.0, "gradient-underflow": 3.0,
    "updates-lost-to-rounding": 4.5, "steps-skipped": 1.5, "loss-not-finite": 0.5,
}  # fmt: skip
REQUIRES = (
    "half-precision-overflow", "half-precision-unscaled", "gradient-underflow", "updates-lost-to-rounding",
    "steps-skipped",
)  # fmt: skip
EXPLAINS = ("unstable-math",)

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


def fix(run: Run, signs: Signs) -> Fix:
    """float32 weights where the weights are half; bfloat16 where float16 is only computed in."""
    device = "cuda" if any("cuda" in name for name in run.devices) else "cpu"
    sizes = run.precision.param_dtypes
    half = sum(number(sizes.get(name)) or 0.0 for name in sizes if "float16" in name)
    edits = begin(run)
    if half:
        total = sum(number(sizes.get(name)) or 0.0 for name in sizes)
        _rewritten(edits, ("torch.float16", "torch.half", "torch.bfloat16"), "torch.float32")
        for source, call in edits.project.calls("half", "bfloat16"):
            if not call.args and isinstance(call.func, ast.Attribute):
                rename_call(edits, source, call, "float")
        pattern, measured = _MASTER, said(signs, "updates-lost-to-rounding")
        summary = f"Keep the weights in float32. {half:.0f} of {total:.0f} weights are kept in half precision."
    else:
        _rewritten(edits, ("torch.float16", "torch.half"), "torch.bfloat16")
        pattern, measured = _BFLOAT, said(signs, "gradient-underflow", "half-precision-overflow", "steps-skipped")
        summary = "Compute in bfloat16 instead of float16: it has float32's range."
    near, code = model_site(run), pattern.format(device=device)
    return fixed(run, summary + measured, edits, code, near=near, words=words("precision"))


def _rewritten(edits: Edits, old: tuple[str, ...], new: str) -> None:
    for source in edits.project.sources:
        for node in source.walk(ast.Attribute):
            if isinstance(node, ast.Attribute) and source.segment(node) in old:
                edits.replace(source, node, new)
