"""Gradient clipping shortens nearly every step, far below its natural length, and throttles learning.

## What happens
Progress is slow and steady, as with a learning rate that is too low. With plain SGD the length of every step is lr
times the threshold, whatever the loss says; with Adam, raising the learning rate helps less than expected.

## Why
Clipping by norm replaces g by g·min(1, c/‖g‖). If ‖g‖ > c nearly always, the update is lr·c·g/‖g‖: normalised
gradient descent with a fixed step length lr·c. Two things are lost. Steps are short by the factor c/‖g‖, and they
no longer shrink near a minimum or grow on slopes. Samples with large gradients count for less, so the mean
direction is biased. `clip_grad_value_` is worse, since it cuts each coordinate by itself and bends the direction
towards the corners of the box.

Adam and similar optimizers divide a uniform clipping factor out again, so there the harm is smaller and shows in eps
and in the relative weight of batches.

## Signs
- Almost every step is clipped (clipping is meant for a few in a hundred).
- Threshold far below the typical norm.
- Update-to-weight ratio low, loss falls slowly and steadily, successive gradients agree.

## Fix
Measure the norms first, then clip above ordinary ones: the 90th to 99th percentile of a healthy stretch.

```python
norm = torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm=float("inf"))   # measures, clips nothing
norm = torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm=10.0)           # p90 of what was measured
```

## What not to do
- Do not remove clipping blindly from a recurrent model or a transformer: rare huge norms are why it is there.
- Do not copy a threshold from another model: norms scale with the number of parameters, the loss and its reduction.
- Do not compensate with the learning rate alone: once the norms fall below the threshold, the steps jump.

## Often confused with
- `clip-before-unscale`: with a GradScaler, the norm is multiplied by the loss scale when it is clipped; the
  threshold may be right and the place is wrong.
- `lr-too-low`: the same curve without clipping.
- `missing-zero-grad`, `unscaled-accumulation`: norms are too large because they are sums.
- Large language models often clip at 1.0 with norms around 1 and many clipped steps, and train well: what counts is
  how far below the norm the threshold lies.

## Verify
After the change a few percent of steps are clipped, and the loss falls faster at the same learning rate.

## References
- R. Pascanu, T. Mikolov, Y. Bengio, "On the difficulty of training recurrent neural networks", ICML 2013.
- J. Zhang, T. He, S. Sra, A. Jadbabaie, "Why gradient clipping accelerates training", ICLR 2020.
- PyTorch documentation, `torch.nn.utils.clip_grad_norm_`.
"""

import numpy as np

from ..edits import callee, rename_call, set_argument
from ..wording import num, percent, round_figure
from ._fixing import Fix, Run, Signs, begin, fixed
from ._frameworks import words
from ._known import median, values
from ._settings import set_in_constructor

FAMILY = "optimizer"
TITLE = "Gradient clipping threshold too low"
FOR = {
    "clip-far-below-norm": 4.0, "clip-share": 1.5, "loss-falling-slowly": 1.0, "update-ratio-low": 1.0,
    "gradients-agree": 0.7, "still-improving": 0.3,
}  # fmt: skip
REQUIRES = ("clip-far-below-norm", "clip-share")

HIGHEST = 100.0  # norms far above it are a matter of the loss's or the data's scale, not of clipping
SHARE = 0.9  # of the steps stay as they are


def fix(run: Run, _signs: Signs) -> Fix:
    norms = values(run, "clip/norm") if len(values(run, "clip/norm")) else values(run, "grad_norm")
    threshold = median(run, "clip/threshold")
    wanted = float(np.quantile(norms, SHARE)) if len(norms) else 0.0
    pattern = "norm = torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm={})"
    if wanted <= 0:
        summary = "Log the gradient norm without clipping, then clip at its 90th percentile."
        return fixed(run, summary, None, pattern.format('float("inf")'), words=words("clip", threshold="1.0"))
    new = round_figure(wanted)
    if new < wanted:  # the next step up the 1-2-3-5 ladder
        new = round_figure(new * 1.6)
    new = min(new, HIGHEST)
    clipping = run.clipping
    by_value = clipping.by_value
    old = f"from {num(threshold)} " if threshold is not None and not by_value else ""
    share = f"; {percent(sum(norms > threshold) / len(norms))} of the steps checked were clipped" if threshold else ""
    verb = "Clip the norm instead of the values, at" if by_value else f"Raise the clipping threshold {old}to"
    summary = (
        f"{verb} {num(new)}: gradient norms run from {num(float(norms.min()))} to {num(float(norms.max()))} (median "
        f"{num(float(np.median(norms)))}, 90th percentile {num(wanted)}){share}."
    )
    edits = begin(run)
    calls = edits.project.calls("clip_grad_norm_", "clip_grad_value_")
    for source, call in calls if len(calls) == 1 else []:
        if callee(call) == "clip_grad_norm_":
            set_argument(edits, source, call, "max_norm", num(new), "clip_grad_norm_")
            continue
        rename_call(edits, source, call, "clip_grad_norm_")
        keyword = next((k for k in call.keywords if k.arg == "clip_value"), None)
        if keyword is not None:
            edits.replace(source, keyword, f"max_norm={num(new)}")
        elif len(call.args) > 1:
            edits.replace(source, call.args[1], num(new))
    if not calls:
        set_in_constructor(run, edits, "max_norm", num(new))
    said, code = words("clip", threshold=num(new)), pattern.format(num(new))
    return fixed(run, summary, edits, code, near=clipping, words=said, sets={"max_norm": new})
