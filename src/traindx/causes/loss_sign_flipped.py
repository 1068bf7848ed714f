"""Training climbs the hill it should descend.

## What happens
The reported loss goes steadily the wrong way from the first step on, with small, healthy updates and no
oscillation. A bounded loss runs to its worst value; an unbounded one runs away. Where the negated value itself is
logged, it falls without end, below zero, while accuracy drops under chance.

## Why
An optimizer moves along −∇L. If L carries the wrong sign it moves along +∇ of what was meant, and near the start
one step changes the loss by +lr·‖g‖² instead of −lr·‖g‖². All else is as in a healthy run, so norms and ratios look
right and only the direction is wrong. The sign comes in by

- a minus in front of a loss that is one already (`-F.cross_entropy(...)`; a log-likelihood needs the minus, a loss
  does not);
- a score to be maximised (accuracy, reward, similarity, ELBO, log-probability) used as the loss without a minus;
- `maximize=True` on the optimizer with an ordinary loss, or a negative rate or weight;
- a gradient-reversal layer, or an adversary's loss, in the wrong branch.

## Signs
- The loss heads the wrong way from the start, steadily, without swings.
- A negation right behind the loss that backward is called on, while the loss function itself returned a positive
  value.
- Log-probabilities of the labels are averaged without a minus before them.
- Update-to-weight ratio ordinary; successive gradients agree.
- The loss falls below zero and keeps falling although its kind cannot be negative.

## Fix
Take the sign away, or put it where a score is maximised.

```python
loss = criterion(outputs, targets)        # was -criterion(outputs, targets)
loss = -log_likelihood.mean()             # a score that should grow needs the minus
```

## What not to do
- Do not lower the rate: it climbs more slowly.
- Do not take the absolute value or clamp the loss at zero.
- Do not judge by the number alone: the mean of a Gaussian log-density, a Dice score with a minus or a Wasserstein
  critic are negative and right.

## Often confused with
- `lr-too-high`: the rise comes with swings and growing updates.
- `wrong-loss`: `nll_loss` on raw scores falls without bound too; there, no minus is at fault, a log_softmax is
  missing.
- `noisy-labels`: training hovers around chance and does not get worse than it.

## Verify
One small step on a fixed batch must lower the loss of that batch. Accuracy rises above chance within the first
epoch.

## References
- PyTorch documentation, `torch.optim.SGD`, argument `maximize`.
- I. Goodfellow, Y. Bengio, A. Courville, "Deep Learning", MIT Press 2016, section 5.5 (maximum likelihood).
"""

from __future__ import annotations

from ..record import Run
from ..signs import Signs
from ._base import Fix
from ._changes import optimizer_setting
from ._known import at, entries, groups, show, site_of, values
from ._lines import without_minus

ID = "loss-sign-flipped"
FAMILY = "optimizer"
TITLE = "The loss has the wrong sign"
MEANS = "Training maximises what it should minimise."
FOR = {
    "loss-negated": 5.5,
    "loss-heads-wrong-way": 3.0,
    "loss-negative-unbounded": 1.5,
    "gradients-agree": 0.5,
    "loss-diverged": 0.7,
    "optimizer-setting-odd": 0.7,  # maximize=True
}
AGAINST = {
    "loss-oscillating": 1.5,
    "loss-inputs-not-log-probabilities": 3.5,
    "grads-kept": 2.0,
    "accumulation-unscaled": 1.5,
    "update-ratio-high": 1.0,
    "step-overshoots": 1.5,
    "gradients-oppose": 1.0,
    "reinforcement-learning": 1.5,
    "input-nonfinite": 3.0,
    "nonfinite-from-operation": 2.0,
}
REQUIRES = ("loss-negated", "loss-heads-wrong-way", "loss-negative-unbounded")
EXPLAINS = ("lr-too-high", "exploding-gradients", "no-warmup", "wrong-loss", "saturated-activations")
AVOID = (
    "Do not lower the rate: training climbs more slowly, but it climbs.",
    "Do not take the absolute value of the loss or clamp it at zero.",
)
VERIFY = "One small step on a fixed batch lowers the loss of that batch."
REFERENCE = "I. Goodfellow, Y. Bengio, A. Courville, Deep Learning, 2016, section 5.5"


def fix(run: Run, _signs: Signs) -> Fix:
    if any(group.get("maximize") is True for group in groups(run)):
        return optimizer_setting(run, "maximize", "False", "with maximize=True the optimizer climbs the loss")
    seen = [entry for entry in entries(run, "losses") if entry.get("phase") != "eval"]
    losses = values(run, "loss/train")
    went = f": it went from {show(float(losses[0]))} to {show(float(losses[-1]))}" if len(losses) > 1 else ""
    sites = [site for site in map(site_of, [*seen, *entries(run, "backward_sites")]) if site]
    for site in sites:
        plain = without_minus(site.text)
        if plain:
            return Fix(f"{at(site)}remove the minus from the loss{went}", plain, site)
    first = sites[0] if sites else None
    code = "loss = criterion(outputs, targets)  # no minus: a loss is minimised as it is"
    return Fix(f"{at(first)}give the loss the sign with which smaller is better{went}", code, first)
