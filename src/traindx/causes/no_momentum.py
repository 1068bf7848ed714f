"""Plain SGD crawls along a ravine that momentum or an adaptive method would cross.

## What happens
Training works, slowly. Across the narrow direction the gradient changes its sign from step to step; along the
floor, where progress is to be made, it is small and always points the same way.

## Why
Let the curvature range from λ_min to λ_max, with condition number κ = λ_max/λ_min. The steep direction limits the
learning rate to lr < 2/λ_max; the flat one then shrinks by 1 − lr·λ_min per step. At the best learning rate plain
gradient descent needs about κ/2 steps to fall by a factor e. Heavy-ball momentum, v ← m·v + g, w ← w − lr·v,
cancels what alternates and sums what agrees: with tuned values it needs about √κ/2. For κ = 10⁴ that is 50 steps
instead of 5000.

With momentum m a lasting gradient acts with lr/(1 − m), so part of the gain at m = 0.9 is just a ten times larger
effective learning rate. The rest is the damping across the ravine, which no learning rate gives. Adaptive methods
reach a similar end by scaling each coordinate by its own gradient size.

## Signs
- `torch.optim.SGD` with momentum 0.
- Loss falling slowly, or a plateau with gradients that alternate in a few coordinates while progress continues.

## Fix
Turn momentum on; lower the learning rate if it was already near its limit.

```python
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9, nesterov=True)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)        # or: let each coordinate have its own scale
```

## What not to do
- Do not take this for the cause of a run that fails outright: plain SGD is slow, not broken.
- Do not add momentum 0.9 and keep a learning rate at the edge: the effective learning rate grows tenfold.
- Do not go to 0.99 at once.

## Often confused with
- `lr-too-low`: gradients agree in all directions; a larger learning rate alone helps.
- `lr-too-high`: gradients alternate and there is no progress.
- `unscaled-inputs`: features of different scale *make* the ravine; scale them first.

## Verify
With momentum 0.9, and the learning rate between a tenth of the old one and the old one, the loss at equal steps is
lower.

## References
- I. Sutskever, J. Martens, G. Dahl, G. Hinton, "On the importance of initialization and momentum in deep learning",
  ICML 2013.
- B. Polyak, "Some methods of speeding up the convergence of iteration methods", 1964.
- G. Goh, "Why Momentum Really Works", Distill, 2017.
"""

from ._fixing import Fix, Run, Signs
from ._known import learning_rate
from ._settings import optimizer_setting

FAMILY = "optimizer"
TITLE = "SGD without momentum"
ADVISORY = True
FOR = {
    "plain-sgd": 4.0, "loss-falling-slowly": 1.0, "gradients-oppose": 0.7, "still-improving": 0.3,
    "loss-plateau": 0.3,
}  # fmt: skip
REQUIRES = ("plain-sgd",)


def fix(run: Run, _signs: Signs) -> Fix:
    lr = learning_rate(run)
    effect = "; the effective learning rate becomes 10 times lr, so lower lr with it" if lr else ""
    why = f"gradients that alternate cancel and gradients that agree add up{effect}"
    return optimizer_setting(run, "momentum", "0.9", why)
