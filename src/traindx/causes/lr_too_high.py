"""Steps overshoot, so the loss swings, climbs or ends in NaN; a smaller learning rate alone fixes it and no wiring
fault explains it.

## What happens
The loss jumps up and down without net progress, climbs away from its start, or grows until it is inf and then NaN.
Gradients stay finite until the steps have made the weights huge. Milder cases only settle high: the run bounces
between the walls of a valley that a smaller step would descend into.

## Why
Gradient descent multiplies the error along each direction of curvature λ by (1 − lr·λ) at every step. It shrinks
only while |1 − lr·λ| < 1, that is while lr < 2/λ. Above that bound the error changes sign and grows: the loss
oscillates with growing swings. The steepest direction decides, λ = the largest eigenvalue of the Hessian. With
momentum m the bound becomes 2(1 + m)/λ, with momentum's own overshoot on top.

Adam-like optimizers hide the size of the gradient: their step is about lr for every weight, whatever the loss says.
So the step has to be judged against the weight it changes. Updates near 1e-3 of the weight's norm are ordinary; far
above 1e-2 for long, a layer is rewritten faster than the layers above it can follow.

## Signs
- Loss oscillates, or leaves its level upward and does not return, or becomes non-finite after large updates.
- Update-to-weight ratio far above 1e-2.
- The gradient after a step points back against that step: the minimum was jumped over.
- Successive gradients oppose each other.
- The first bad step follows large updates, not large inputs, and no single operation made the first NaN.

## Fix
Lower the learning rate, in thirds or tenths, until the first hundred steps fall smoothly; then let a schedule decay
it.

```python
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4)   # was 3e-2
```

A range test finds the region in one short run: raise the learning rate exponentially from 1e-7, note where the loss
turns upward, and take a third to a tenth of that. `traindx lr train.py` does this on your own loop.

## What not to do
- Do not add clipping to a learning rate that is too high for ordinary steps: it hides the fault and slows every
  step.
- Do not skip NaN batches or reset weights to the last good ones and go on at the same learning rate.
- Do not switch optimizers and keep the number: 0.1 is ordinary for SGD and about a hundred times too much for Adam.

## Often confused with
- `missing-zero-grad` and `unscaled-accumulation`: the step is too long because the gradient is a sum. Both are seen
  directly, and lowering the learning rate only covers them up.
- `no-warmup`: the trouble is confined to the first steps; a ramp to the same learning rate trains well.
- `exploding-gradients`: rare enormous norms among ordinary ones, in a recurrent or deep un-normalised model.
- `unstable-math`: a single operation makes the first NaN while updates are small.
- `unscaled-inputs`, `unscaled-targets`: the curvature is large because the data are.
- `init-too-large`: the first loss is already far above chance, before any step.

## Verify
Over the next 100 to 200 steps the smoothed loss falls and the update-to-weight ratio lies near 1e-3.

Halving the learning rate once more must not change much.

## References
- L. N. Smith, "Cyclical Learning Rates for Training Neural Networks", WACV 2017 (the range test).
- L. Bottou, F. Curtis, J. Nocedal, "Optimization Methods for Large-Scale Machine Learning", SIAM Review, 2018.
- J. Cohen et al., "Gradient Descent on Neural Networks Typically Occurs at the Edge of Stability", ICLR 2021.
"""

import numpy as np

from ..wording import num
from ._fixing import Fix, Run, Signs, raised
from ._known import median, values
from ._settings import changed_rate

FAMILY = "learning-rate"
SETTLED_BY = ("lr",)
TITLE = "Learning rate too high"
FOR = {
    "rate-above-usual": 2.5, "loss-oscillating": 2.5, "loss-diverged": 2.5, "loss-not-finite": 1.5,
    "update-ratio-high": 2.5, "step-overshoots": 2.0, "gradients-oppose": 1.5, "nonfinite-from-weights": 2.0,
    "weights-growing": 1.0, "loss-spike": 0.7, "gradients-spiking": 0.5, "dead-units": 0.5, "saturated-units": 0.5,
    "training-at-chance": 0.5, "early-instability": 0.7, "loss-stuck": 0.5, "one-batch-needs-lower-rate": 4.0,
    "steps-make-worse": 2.0, "beyond-stability-edge": 1.0, "spike-from-step": 0.7,
}  # fmt: skip
REQUIRES = (
    "rate-above-usual", "one-batch-needs-lower-rate", "steps-make-worse", "loss-oscillating", "loss-diverged",
    "loss-not-finite", "loss-spike", "update-ratio-high", "early-instability", "step-overshoots",
)  # fmt: skip

ONSETS = ("loss-not-finite", "loss-diverged", "loss-oscillating")
HEALTHY_UPDATE_RATIO = 3e-3  # of the weights' norm in one step: the upper end of what well-set runs show
EARLY_LOOKS = 3
STRONGEST_CUT_OF_A_RUN_THAT_LEARNED = 1 / 10
WEAKEST_CUT = 1 / 5  # a smaller cut drowns in noise


def fix(run: Run, signs: Signs) -> Fix:
    onsets = [signs[name].onset for name in ONSETS if name in signs and signs[name].raised]
    onset = min((step for step in onsets if step), default=None)
    # Later the weights have grown with the steps, and the ratio says nothing about the learning rate any more.
    early = values(run, "update_ratio", onset)[:EARLY_LOOKS]
    ratio = float(np.median(early)) if len(early) else median(run, "update_ratio")
    factor = min(WEAKEST_CUT, HEALTHY_UPDATE_RATIO / ratio) if ratio and ratio > 0 else 0.1
    if raised(signs, "training-learned") or raised(signs, "validation-learned"):
        factor = max(factor, STRONGEST_CUT_OF_A_RUN_THAT_LEARNED)
    why = "a first cut; `traindx lr` on the script finds the range"
    if ratio and ratio > HEALTHY_UPDATE_RATIO:
        why = f"each of the first steps changed the weights by {num(ratio)} times their norm (about 1e-3 is typical)"
    return changed_rate(run, factor, why)
