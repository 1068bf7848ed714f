"""The loss falls steadily but far too slowly although gradients are healthy; a larger learning rate alone fixes it.

## What happens
The loss falls steadily, almost in a straight line, and so slowly that the run would have to be many times longer.
Nothing oscillates. Gradients keep their size, because the place where they are measured hardly changes.

## Why
A step of gradient descent lowers the loss by about lr·‖g‖². Along a direction of curvature λ the error shrinks by
(1 − lr·λ), so the number of steps to fall by a factor e is 1/(lr·λ): ten times less learning rate, ten times more
steps. The noise of the batches averages out over such small steps, which is why the curve looks so clean.

Two measurements show it. The update is a tiny share of the weight (far below 1e-4), and the gradient after the step
is nearly parallel to the one before, so many small steps could have been one long one.

## Signs
- Significant, steady progress at a pace that cannot reach a useful level.
- Update-to-weight ratio far below 1e-4.
- Successive gradients nearly parallel.
- Gradient norm healthy and not shrinking; nothing is clipped, the schedule has not ended.

## Fix
Raise the learning rate by factors of three to ten until the first hundred steps fall briskly; stop one factor
before the loss turns noisy. The usual starting points are 1e-3 for Adam and AdamW on small models, 1e-4 to 3e-4 on
transformers, 0.1 for SGD with momentum on normalised networks.

```python
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)   # was 1e-6
```

## What not to do
- Do not just add epochs: at a hundredth of the right learning rate, that is a hundred times the cost.
- Do not take a smooth curve for a good one.
- Do not raise the learning rate if almost every step is clipped or the schedule ended early: fix those first.

## Often confused with
- `vanishing-gradients`: slow because the gradient of the early layers is tiny, not because the learning rate is.
- `clip-too-tight`: the learning rate is fine, the clip threshold shortens nearly every step.
- `lr-decays-too-soon`: the learning rate was right at first and fell to nothing.
- `undertrained`: progress at a useful pace that was cut short; more steps suffice.
- `params-not-in-optimizer`, `frozen-layers`: part of the model does not move at all.
- `no-momentum`: plain SGD in a ravine; the gradient alternates in a few coordinates.

## Verify
In 100 steps the loss falls several times further than before, and the update-to-weight ratio lies between 1e-4 and
1e-2.

One more tripling should begin to look noisy; if not, there is room left.

## References
- Y. Bengio, "Practical Recommendations for Gradient-Based Training of Deep Architectures", 2012.
- L. N. Smith, "Cyclical Learning Rates for Training Neural Networks", WACV 2017.
- I. Goodfellow, Y. Bengio, A. Courville, "Deep Learning", MIT Press 2016, section 11.4.
"""

from ..wording import num
from ._fixing import Fix, Run, Signs
from ._known import median
from ._settings import changed_rate

FAMILY = "learning-rate"
SETTLED_BY = ("lr",)
TITLE = "Learning rate too low"
FOR = {
    "rate-below-usual": 3.0, "loss-falling-slowly": 2.5, "update-ratio-low": 2.5, "weights-hardly-move": 2.5,
    "gradients-agree": 2.0, "still-improving": 0.7, "loss-stuck": 0.7, "one-batch-needs-higher-rate": 4.0,
}  # fmt: skip
REQUIRES = (
    "loss-falling-slowly", "update-ratio-low", "weights-hardly-move", "gradients-agree",
    "one-batch-needs-higher-rate",
)  # fmt: skip

HEALTHY_UPDATE_RATIO = 2e-3  # of the weights' norm in one step: the middle of what well-set runs show
SMALLEST_RAISE = 3.0  # a smaller raise would not show above the noise
LARGEST_RAISE = 1e4  # the span of learning rates in use


def fix(run: Run, _signs: Signs) -> Fix:
    ratio = median(run, "update_ratio")
    if not ratio or ratio <= 0:
        why = "a first raise; `traindx lr` on the script finds the range"
        return changed_rate(run, 10.0, why)
    factor = min(LARGEST_RAISE, max(SMALLEST_RAISE, HEALTHY_UPDATE_RATIO / ratio))
    only = "only " if ratio < HEALTHY_UPDATE_RATIO else ""
    why = f"one step changes the weights by {only}{num(ratio)} times their norm (about 1e-3 is typical)"
    return changed_rate(run, factor, why)
