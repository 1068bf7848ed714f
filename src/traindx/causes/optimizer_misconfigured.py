"""A setting other than the learning rate breaks the optimizer: momentum near or above 1, betas off, huge eps.

## What happens
Oscillation that outlives a smaller learning rate, steps that carry on long after the gradient has turned, or hardly
any progress although the learning rate looks ordinary. The numbers in the constructor are legal, so nothing
complains.

## Why
- **Momentum m** makes the lasting effect of one gradient lr/(1 − m). At 0.9 that is ten times lr, at 0.99 a
  hundred, at 0.999 a thousand, with a memory of 1/(1 − m) steps. Along curvature λ the motion is that of a
  pendulum: it is damped critically at m = (1 − √(lr·λ))² and swings the longer the closer m is to 1. At m ≥ 1
  nothing damps it.
- **β₁, β₂** of Adam are averages over 1/(1 − β) steps. β₁ > β₂ lets the step answer faster to the past than its own
  scale: sudden large gradients make oversized steps (Adam's guarantee asks for β₁ < √β₂). β₂ = 0.9 makes the scale
  noisy; β₂ near 1 makes it stale, and the bias correction 1/(1 − β₂ᵗ) then matters for thousands of steps. Swapped
  betas, such as (0.999, 0.9), are a classic.
- **eps** is added to √v. Where eps ≫ √v the step is lr·m/eps: plain momentum with a learning rate of lr/eps, so
  with eps = 1 it is tiny wherever gradients are. Where eps is below the resolution of half precision it is zero,
  and 0/0 is NaN.
- **dampening, maximize, nesterov, amsgrad** switched on without need each change the effective step.

## Signs
- Momentum at or above 0.99, betas far from (0.9, 0.999) or swapped, eps of 1e-3 and above.
- eps comparable with the root of the second moment.
- Loss swings with a period of many steps, and a smaller learning rate only stretches it.

## Fix
Return to the defaults, then change one setting at a time and for a reason.

```python
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, betas=(0.9, 0.999), eps=1e-8)
```

If momentum really has to be 0.99, divide the learning rate by ten against the value that worked at 0.9.

## What not to do
- Do not tune the learning rate around a broken setting.
- Do not copy betas from another field: (0.5, 0.999) belongs to GANs, (0.9, 0.95) to large language models.

## Often confused with
- `lr-too-high`: a smaller learning rate alone fixes it.
- `missing-zero-grad`: acts like momentum 1 without any setting.
- `lr-too-low`: the learning rate itself is small; with a huge eps it is only the effective one.
- `no-momentum`: advice, not a fault.

## Verify
With default settings and the same learning rate the swings are gone, and eps is far below the median of sqrt(v).

## References
- D. Kingma, J. Ba, "Adam: A Method for Stochastic Optimization", ICLR 2015.
- S. Reddi, S. Kale, S. Kumar, "On the Convergence of Adam and Beyond", ICLR 2018.
- G. Goh, "Why Momentum Really Works", Distill, 2017.
- D. Choi et al., "On Empirical Comparisons of Optimizers for Deep Learning", 2019 (eps matters).
"""

from ..wording import num
from ._fixing import Fix, Run, Signs, fixed
from ._known import adaptive, betas, groups, learning_rate, median, optimizer, optimizer_name, setting
from ._settings import optimizer_setting

FAMILY = "optimizer"
TITLE = "Optimizer setting wrong (momentum, betas or eps)"
FOR = {
    "optimizer-setting-odd": 4.0, "eps-dominates": 3.5, "loss-oscillating": 0.7, "loss-diverged": 0.5,
    "update-ratio-low": 0.3, "loss-falling-slowly": 0.5,
}  # fmt: skip
REQUIRES = ("optimizer-setting-odd", "eps-dominates")

DEFAULT_MOMENTUM = 0.9
DEFAULT_BETAS = (0.9, 0.999)
DEFAULT_EPS = 1e-8
ODD_MOMENTUM = 0.98  # fifty steps of memory: above what recipes use
LARGE_EPS = 1e-4  # four orders above the default: no recipe for ordinary float32 training goes there


def fix(run: Run, _signs: Signs) -> Fix:
    if any(group.get("maximize") is True for group in groups(run)):
        return optimizer_setting(run, "maximize", "False", "with maximize=True the optimizer climbs the loss")
    momentum = setting(run, "momentum")
    if momentum is not None and momentum >= ODD_MOMENTUM:
        lr, why = learning_rate(run), "at 1 and above the oscillation is not damped"
        if lr and momentum < 1:
            why = f"the effective learning rate is lr/(1 - momentum) = {num(lr / (1 - momentum))}"
        return optimizer_setting(run, "momentum", num(DEFAULT_MOMENTUM), why)
    first, second = betas(run) or DEFAULT_BETAS
    if first >= 0.99 or second < 0.9 or first > second:
        why = f"({first:g}, {second:g}) averages over {_memory(first)} and {_memory(second)} steps"
        return optimizer_setting(run, "betas", str(DEFAULT_BETAS), why)
    eps, share = setting(run, "eps"), median(run, "eps_ratio")
    if eps is not None and (eps >= LARGE_EPS or (eps > DEFAULT_EPS and (share or 0.0) >= 1.0)):
        seen = f"eps is {num(share)} times the median sqrt(second moment)" if share else "it swamps the second moment"
        return optimizer_setting(run, "eps", num(DEFAULT_EPS), seen)
    usual = "betas=(0.9, 0.999), eps=1e-8" if adaptive(run) else "momentum=0.9"
    code = f"{optimizer_name(run)}.param_groups[0].update({usual})"
    summary = "Return momentum, betas and eps to their defaults, then change one at a time."
    return fixed(run, summary, None, code, near=optimizer(run))


def _memory(beta: float) -> str:
    return f"{1 / (1 - beta):.0f}" if beta < 1 else "endlessly many"
