"""Backpropagation multiplies the gradient, so that now and then one step is enormous.

## What happens

Most steps are ordinary; a few have gradients tens or thousands of times larger. At each of them the loss jumps, and
sometimes it does not come back or ends in NaN. The learning rate suits the ordinary steps.

## Why

The gradient at depth L is a product of L Jacobians. If their typical gain r is above 1 the product grows like r^L;
in a recurrent network the same matrix is applied T times, and an eigenvalue of 1.1 over 100 steps gives 1.1¹⁰⁰ ≈
14,000. The loss surface then has cliffs: nearly flat almost everywhere, nearly vertical along a line. A step taken at
the cliff has the cliff's gradient and throws the weights far away. Clipping the norm, g ← g · min(1, c/‖g‖), keeps
the direction and bounds the length of that step, and leaves ordinary steps alone if c lies above the ordinary norm.
This is a property of the model and its depth. It differs from a learning rate that is too high, where ordinary
steps overshoot, and from large initial weights, which make every gradient large from step 0.

## Signs

- Gradient norm has a heavy tail: rare values far beyond its own distribution, with no unusual batch to blame.
- Norms grow geometrically towards the input.
- The model is recurrent, or deep without normalisation and skip paths, and nothing clips.
- Initial weights have ordinary size.

## Fix

Clip by norm between `backward()` and `step()`, at about twice the ordinary norm:

```python
loss.backward()
torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm=1.0)
optimizer.step()
```

With a GradScaler call `scaler.unscale_(optimizer)` first. For sequences also shorten the truncation window; for
deep stacks add normalisation and skip paths, which remove the reason rather than the effect.

## What not to do

- Do not lower the learning rate until the worst step is harmless: the ordinary steps then crawl.
- Do not set the threshold far below the ordinary norm: then every step is clipped (`clip-too-tight`).
- Do not skip steps with NaN gradients in silence: find out which operation made them.

## Often confused with

- `lr-too-high`: ordinary steps overshoot, update ratios are large throughout, and a smaller learning rate alone
  fixes it.
- `init-too-large`: weight std far above 1/√fan_in; the first loss is already far above chance.
- `bad-batch`: the same samples come up at each spike, and their statistics are outliers.
- `missing-zero-grad`, `unscaled-accumulation`: norms grow because gradients are summed, not multiplied.
- `unstable-math`: one operation makes the infinity from finite, ordinary inputs.

## Verify

With clipping, the loss has no jumps; only a small share of steps (below about a tenth) is clipped.

## References

- Pascanu, Mikolov, Bengio: On the difficulty of training recurrent neural networks (2013).
- Goodfellow, Bengio, Courville: Deep Learning (2016), section 10.11.
"""

from __future__ import annotations

import ast
from dataclasses import replace

import numpy as np

from ..edits import Edits
from ..edits.arguments import set_argument
from ..edits.loops import (
    backward_calls,
    models_near,
    step_calls,
)
from ..edits.source import callee
from ..record import Run
from ..record.site import site_of
from ..signs import Signs
from ..wording import num, round_figure
from ._base import Fix
from ._fixing import begin, fixed
from ._known import values
from ._settings import optimizer_call

ID = "exploding-gradients"
FAMILY = "signal"
SETTLED_BY = ("lr",)
TITLE = "Exploding gradients"
MEANS = (
    "Backpropagation multiplies gradients (recurrence, depth without normalisation) although learning rate and initial "
    "weights are of ordinary size."
)
FOR = {
    "gradients-spiking": 1.5,
    "gradient-norm-heavy-tail": 2.0,
    "gradients-explode-with-depth": 2.5,
    "gradients-grow-along-chain": 2.0,
    "recurrent-or-deep-plain": 1.5,
    "loss-spike": 1.0,
    "loss-not-finite": 0.7,
    "loss-diverged": 0.7,
    "gradient-norm-level": 0.7,
    "nonfinite-from-weights": 0.5,
}
AGAINST = {
    "init-scale-large": 3.5,
    "first-loss-above-chance": 1.0,
    "update-ratio-high": 1.0,
    "step-overshoots": 1.0,
    "gradients-oppose": 0.7,
    "loss-oscillating": 0.7,
    "batch-outlier": 3.0,
    "spikes-periodic": 1.5,
    "grads-kept": 4.0,
    "accumulation-unscaled": 3.0,
    "nonfinite-from-operation": 3.0,
    "half-precision-overflow": 3.0,
    "half-precision-unscaled": 2.0,
    "input-nonfinite": 4.0,
    "target-nonfinite": 4.0,
    "input-scale-odd": 1.5,
    "target-scale-large": 2.0,
    "optimizer-setting-odd": 1.5,
    "early-instability": 0.7,
    "validation-learned": 1.0,
    "loss-at-floor": 1.5,
    "training-learned": 1.0,
    "rate-above-usual": 1.0,
}
REQUIRES = (
    "gradients-spiking",
    "gradient-norm-heavy-tail",
    "gradients-explode-with-depth",
    "gradients-grow-along-chain",
    "gradient-norm-level",
)
EXPLAINS = ("lr-too-high",)
AVOID = (
    "Do not lower the learning rate until the worst step is harmless: ordinary steps then crawl.",
    "Do not clip far below the ordinary norm: every step is then clipped and learning is throttled.",
)
VERIFY = "The loss has no jumps, and fewer than about one step in ten is clipped."
REFERENCE = "Pascanu, Mikolov & Bengio, On the difficulty of training recurrent neural networks, 2013"

_ORDINARY = 2.0  # times the median norm of the healthy stretch: clips outliers only
_FEWEST = 8  # norms from which on a quartile says more than the first one
_HIGHEST = 10.0  # above it clipping protects nothing: usual thresholds are 0.1 to 10
_LOWEST = 1e-3  # below it the gradients before the trouble were nothing to go by


def fix(run: Run, signs: Signs) -> Fix:
    """Clip right after backward, at twice the median norm of the steps before the trouble began."""
    threshold, measured = _threshold(run, signs)
    scaled = bool(run.fact("precision").get("scaler"))
    edits = begin(run)
    if edits is not None:
        calls = edits.project.calls("clip_grad_norm_")
        if len(calls) == 1:
            set_argument(edits, *calls[0], "max_norm", threshold, "clip_grad_norm_")
        elif not calls:
            _insert(run, edits, threshold, scaled)
    pattern = f"torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm={threshold})  # after backward"
    words = {
        "keras": f"keras.optimizers.Adam(..., global_clipnorm={threshold})",
        "huggingface": f"TrainingArguments(..., max_grad_norm={threshold})",
        "lightning": f"Trainer(..., gradient_clip_val={threshold})",
    }
    near = site_of(next(iter(run.entries("backward_sites")), None))
    summary = f"Clip the gradient norm at {threshold} between backward() and step().{measured}"
    return replace(fixed(run, summary, edits, pattern, near=near, words=words), sets={"max_norm": float(threshold)})


def _threshold(run: Run, signs: Signs) -> tuple[str, str]:
    onsets = [
        sign.onset
        for name in ("loss-not-finite", "loss-diverged", "loss-spike", "gradients-spiking")
        if (sign := signs.get(name)) and sign.raised and sign.onset
    ]
    norms = values(run, "grad_norm", min(onsets, default=None))
    norms = norms[norms > 0]
    if not norms.size:
        return "1.0", " No gradient norm was recorded before the trouble began; 1.0 is the usual threshold."
    # The lower quartile stands for the healthy stretch even where half of the steps have already exploded.
    ordinary = float(np.quantile(norms, 0.25)) if len(norms) >= _FEWEST else float(norms[0])
    threshold = min(max(round_figure(_ORDINARY * ordinary), _LOWEST), _HIGHEST)
    if ordinary > _HIGHEST:
        return num(threshold), (
            f" The gradient norm was {num(ordinary)} before the trouble began, which is itself above the usual 0.1 to "
            f"10, so the highest usual threshold is taken."
        )
    return num(threshold), f" Gradient norms in this run are usually about {num(ordinary)}."


def _insert(run: Run, edits: Edits, threshold: str, scaled: bool) -> None:
    for source, call in backward_calls(run, edits.project)[:1]:
        steps = step_calls(edits.project, source, call)
        names = models_near(source, call)
        made = optimizer_call(run, edits)
        held = source.segment(made[1].args[0]) if made and made[1].args and made[0] is source else ""
        parameters = f"{names[0]}.parameters()" if names else held if held.isidentifier() else ""
        if len(steps) != 1 or not parameters or callee(call) != "backward":
            edits.refuse()
            continue
        clip = f"torch.nn.utils.clip_grad_norm_({parameters}, max_norm={threshold})"
        if scaled and steps[0].args and isinstance(steps[0].func, ast.Attribute):
            scaler = source.segment(steps[0].func.value)
            clip = f"{scaler}.unscale_({source.segment(steps[0].args[0])})\n{clip}"
        edits.insert_before(source, source.statement_of(steps[0]), clip)
