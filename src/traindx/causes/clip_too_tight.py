"""Clipping shortens nearly every step, not only the rare bad one.

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

from __future__ import annotations

from dataclasses import replace

from ..edits.arguments import set_argument
from ..edits.layers import (
    rename_call,
)
from ..edits.source import callee
from ..record import Run
from ..record.site import site_of
from ..signs import Signs
from ..wording import num, percent, round_figure
from ._base import Fix
from ._fixing import begin, fixed
from ._known import median, quantile, values
from ._rivals import LOSS_FAULTS, NUMBER_FAULTS, SIGNAL_FAULTS, UPDATE_FAULTS

ID = "clip-too-tight"
FAMILY = "optimizer"
TITLE = "Gradient clipping threshold too low"
MEANS = "Gradient clipping shortens nearly every step, far below its natural length, and throttles learning."
FOR = {
    "clip-far-below-norm": 4.0,
    "clip-share": 1.5,
    "loss-falling-slowly": 1.0,
    "update-ratio-low": 1.0,
    "gradients-agree": 0.7,
    "still-improving": 0.3,
}
AGAINST = {
    **UPDATE_FAULTS,
    **LOSS_FAULTS,
    **NUMBER_FAULTS,
    **SIGNAL_FAULTS,
    "clip-before-unscale": 4.0,
    "update-ratio-high": 2.0,
    "loss-diverged": 1.5,
    "loss-oscillating": 1.5,
    "lr-collapsed": 1.5,
    "loss-at-floor": 2.0,
    "target-scale-large": 2.0,
    "input-scale-odd": 1.0,
    "training-learned": 1.0,
}
REQUIRES = ("clip-far-below-norm", "clip-share")
EXPLAINS = ("lr-too-low", "undertrained")
AVOID = (
    "Do not remove clipping blindly from a recurrent model or a transformer: rare huge norms are why it is there.",
    "Do not copy a threshold from another model: norms depend on size, loss and reduction.",
)
VERIFY = "A few percent of steps are clipped and the loss falls faster at the same learning rate."
REFERENCE = "R. Pascanu, T. Mikolov, Y. Bengio, On the difficulty of training recurrent neural networks, ICML 2013"


HIGHEST = 100.0  # norms far above it are a matter of the loss's or the data's scale, not of clipping


def fix(run: Run, _signs: Signs) -> Fix:
    source = "clip/norm" if len(values(run, "clip/norm")) else "grad_norm"
    norms = values(run, source)
    threshold = median(run, "clip/threshold")
    wanted = quantile(run, source, 0.9)
    pattern = "norm = torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm={})"
    if wanted is None or wanted <= 0:
        summary = "Log the gradient norm without clipping, then clip at its 90th percentile."
        return fixed(run, summary, None, pattern.format('float("inf")'), words=_words(1.0))
    new = round_figure(wanted)
    if new < wanted:  # the next step up the 1-2-3-5 ladder, so that nine steps of ten stay as they are
        new = round_figure(new * 1.6)
    new = min(new, HIGHEST)
    middle = median(run, source) or 0.0
    clipping = run.fact("clipping")
    by_value = clipping.get("kind") == "value"
    old = f"from {num(threshold)} " if threshold is not None and not by_value else ""
    share = f"; {percent(sum(norms > threshold) / len(norms))} of the steps checked were clipped" if threshold else ""
    verb = "Clip the norm instead of the values, at" if by_value else f"Raise the clipping threshold {old}to"
    summary = (
        f"{verb} {num(new)}: gradient norms run from {num(float(norms.min()))} to {num(float(norms.max()))} (median "
        f"{num(middle)}, 90th percentile {num(wanted)}){share}."
    )
    edits = begin(run)
    calls = edits.project.calls("clip_grad_norm_", "clip_grad_value_") if edits is not None else []
    if edits is not None and len(calls) == 1:
        where, call = calls[0]
        kind = callee(call) or ""
        if kind == "clip_grad_value_":
            rename_call(edits, where, call, "clip_grad_norm_")
            keyword = next((k for k in call.keywords if k.arg == "clip_value"), None)
            if keyword is not None:
                edits.replace(where, keyword, f"max_norm={num(new)}")
            elif len(call.args) > 1:
                edits.replace(where, call.args[1], num(new))
        else:
            set_argument(edits, where, call, "max_norm", num(new), kind)
    found = fixed(run, summary, edits, pattern.format(num(new)), near=site_of(clipping), words=_words(new))
    return replace(found, sets={"max_norm": new})


def _words(threshold: float) -> dict[str, str]:
    return {
        "keras": f"keras.optimizers.Adam(..., global_clipnorm={num(threshold)})",
        "huggingface": f"TrainingArguments(..., max_grad_norm={num(threshold)})",
        "lightning": f"Trainer(..., gradient_clip_val={num(threshold)})",
    }
