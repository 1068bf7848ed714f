"""Backpropagation multiplies the gradient (recurrence, depth without normalisation), so that now and then one step is
enormous.

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

import ast
from dataclasses import replace

import numpy as np

from ..edits import Edits, backward_calls, callee, models_near, set_argument, step_calls
from ..wording import num, round_figure
from ._fixing import Fix, Run, Signs, begin, fixed, raised
from ._frameworks import words
from ._known import backward_site
from ._settings import optimizer_call, set_in_constructor
from .lr_too_high import fix as lower_rate

FAMILY = "signal"
SETTLED_BY = ("lr",)
TITLE = "Exploding gradients"
FOR = {
    "gradients-spiking": 1.5, "gradient-norm-heavy-tail": 2.0, "gradients-explode-with-depth": 2.5,
    "gradients-grow-along-chain": 2.0, "recurrent-or-deep-plain": 1.5, "loss-spike": 1.0, "loss-not-finite": 0.7,
    "loss-diverged": 0.7, "gradient-norm-level": 0.7, "nonfinite-from-weights": 0.5,
}  # fmt: skip
REQUIRES = (
    "gradients-spiking", "gradient-norm-heavy-tail", "gradients-explode-with-depth", "gradients-grow-along-chain",
    "gradient-norm-level",
)  # fmt: skip

_ORDINARY = 2.0  # times the usual norm of the steps that made progress: clips outliers only
_FEWEST = 8  # norms from which on a quartile says more than the first one
_HIGHEST = 10.0  # above it clipping protects nothing: usual thresholds are 0.1 to 10
_LOWEST = 1e-3  # below it the gradients before the trouble were nothing to go by


def fix(run: Run, signs: Signs) -> Fix:
    """Clip right after backward, at twice the norm of the steps that made progress before the trouble began."""
    threshold, measured = _threshold(run, signs)
    if raised(signs, "rate-above-usual"):  # clipping bounds the steps of such a run and leaves them far too long
        lower = lower_rate(run, signs)
        summary = f"{lower.summary} Clip the gradient norm at {threshold} if it still explodes."
        return replace(lower, summary=summary, sets={**lower.sets, "max_norm": float(threshold)})
    edits = begin(run)
    calls = edits.project.calls("clip_grad_norm_")
    if len(calls) == 1:
        set_argument(edits, *calls[0], "max_norm", threshold, "clip_grad_norm_")
    elif not calls and not set_in_constructor(run, edits, "max_norm", threshold):
        _insert(run, edits, threshold)
    pattern = f"torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm={threshold})  # after backward"
    summary = f"Clip the gradient norm at {threshold} between backward() and step().{measured}"
    said = words("clip", threshold=threshold)
    return fixed(run, summary, edits, pattern, near=backward_site(run), words=said, sets={"max_norm": float(threshold)})


def _threshold(run: Run, signs: Signs) -> tuple[str, str]:
    onsets = [
        sign.onset
        for name in ("loss-not-finite", "loss-diverged", "loss-spike", "gradients-spiking")
        if (sign := signs.get(name)) and sign.raised and sign.onset
    ]
    norms = run.series("grad_norm").finite
    loss = run.series("loss/train").finite
    before = norms.steps < min(onsets, default=norms.steps.max(initial=0) + 1)
    lowered = loss.steps[1:][loss.values[1:] < np.minimum.accumulate(loss.values)[:-1]]
    progress = norms.values[before & np.isin(norms.steps, lowered) & (norms.values > 0)]
    seen = norms.values[before & (norms.values > 0)]
    if not seen.size:
        return "1.0", " No gradient norm was recorded before the trouble began; 1.0 is the usual threshold."
    # The lower quartile stands for the healthy stretch even where half of the steps have already exploded.
    ordinary = float(np.quantile(seen, 0.25)) if len(seen) >= _FEWEST else float(seen[0])
    if len(progress) >= _FEWEST:
        ordinary = min(ordinary, float(np.median(progress)))
    if ordinary > _HIGHEST:
        return "1.0", (
            f" The gradient norm was {num(ordinary)} before the trouble began, which is itself above the usual 0.1 to "
            "10, so the usual threshold is taken."
        )
    threshold = min(max(round_figure(_ORDINARY * ordinary), _LOWEST), _HIGHEST)
    return num(threshold), f" Gradient norms in this run are usually about {num(ordinary)}."


def _insert(run: Run, edits: Edits, threshold: str) -> None:
    for source, call in backward_calls(run, edits.project)[:1]:
        steps, names = step_calls(edits.project, source, call), models_near(source, call)
        made = optimizer_call(run, edits)
        held = source.segment(made[1].args[0]) if made and made[1].args and made[0] is source else ""
        parameters = f"{names[0]}.parameters()" if names else held if held.isidentifier() else ""
        if len(steps) != 1 or not parameters or callee(call) != "backward":
            edits.refuse()
            continue
        clip = f"torch.nn.utils.clip_grad_norm_({parameters}, max_norm={threshold})"
        step = steps[0]
        if run.precision.scaler and step.args and isinstance(step.func, ast.Attribute):
            clip = f"{source.segment(step.func.value)}.unscale_({source.segment(step.args[0])})\n{clip}"
        edits.insert_before(source, source.statement_of(step), clip)
