"""Input features are huge, tiny or on wildly different scales.

## What happens

With a rate that suits ordinary data the loss jumps about or diverges; with a rate that is small enough it crawls.
Sigmoid and tanh layers saturate at once. Networks that begin with batch norm hardly notice.

## Why

The first layer's gradient is δ·xᵀ, so it grows with the input, and the curvature along a feature's weight grows
with E[x²]. For a linear model the Hessian is E[xxᵀ]. Gradient descent is stable only below 2/λ_max and needs about
λ_max/λ_min steps: one feature of size 1000 beside others of size 1 makes a condition number of a million. An offset
is as bad as a scale: features with mean 100 and std 1 share one huge direction, 1 + 100², of which nothing can be
learned. Standardising makes the diagonal of the Hessian equal and lets one rate suit all weights. Adam evens out
scales between weights, but not the saturation, the poor conditioning in correlated directions, or a first layer
whose outputs are in the thousands.

## Signs

- Input std far from 1, or std and mean of features orders of magnitude apart.
- First-layer gradients dwarf the others; the first loss is far above chance.

## Fix

Standardise with statistics of the *training* set, and use the same numbers for validation and in production:

```python
mean, std = x_train.mean(0), x_train.std(0)
x_train = (x_train - mean) / std.clamp(min=1e-6)
x_test = (x_test - mean) / std.clamp(min=1e-6)
```

Images: divide by 255, then subtract the channel means. Heavy-tailed positive quantities: take log1p first. Ids and
categories are not quantities: embed them.

## What not to do

- Do not lower the rate until it is stable: the small features then never train.
- Do not standardise each batch by itself: a sample's value then depends on its neighbours.
- Do not compute the statistics on all data before the split: that leaks.

## Often confused with

- `lr-too-high`: inputs are of unit scale.
- `init-too-large`: weights, not inputs, make the activations large.
- `saturated-activations`, `exploding-gradients`: effects of this cause.
- `bad-batch`: only some batches have huge values.

## Verify

Each feature has mean near 0 and std near 1 on the training data, and the first loss is near chance.

## References

- LeCun, Bottou, Orr, Müller: Efficient BackProp (1998), section 4.3.
- Hastie, Tibshirani, Friedman: The Elements of Statistical Learning (2009), section 11.5.3.
"""

from __future__ import annotations

from ..record import Run
from ..signs import Signs
from ._base import Fix
from ._facts import loader, numbers, python_list, shape
from ._known import number, record, show, site_of

ID = "unscaled-inputs"
FAMILY = "data"
TITLE = "The inputs are not scaled"
MEANS = "Input features are huge, tiny or on wildly different scales."
FOR = {
    "input-scale-odd": 3.5,
    "input-scale-spread": 3.5,
    "first-loss-above-chance": 0.7,
    "saturated-units": 0.5,
    "preactivations-large": 0.5,
    "gradient-norm-level": 0.5,
    "loss-oscillating": 0.5,
    "loss-stuck": 0.5,
    "loss-plateau": 0.5,
    "loss-falling-slowly": 0.5,
    "early-instability": 0.3,
}
AGAINST = {
    "first-loss-at-chance": 0.7,
    "loss-at-floor": 2.0,
    "init-scale-large": 1.0,
    "target-scale-large": 1.5,
    "input-nonfinite": 2.0,
    "train-eval-inputs-differ": 0.5,
    "validation-learned": 1.0,
}
REQUIRES = ("input-scale-odd", "input-scale-spread")
EXPLAINS = (
    "saturated-activations",
    "exploding-gradients",
    "lr-too-high",
    "lr-too-low",
    "dead-relus",
    "model-too-small",
    "no-momentum",
)
AVOID = (
    "Do not lower the rate until it is stable: the small features then never train.",
    "Do not standardise each batch by itself: a sample's value then depends on its neighbours.",
    "Do not compute the statistics before the split: that leaks.",
)
VERIFY = "Each training feature has mean near 0 and standard deviation near 1, and the first loss is near chance."
REFERENCE = "LeCun, Bottou, Orr & Müller, Efficient BackProp, 1998, section 4.3"

_GENERAL = """\
mean, std = x_train.mean(0), x_train.std(0)  # of the training set only
x = (x - mean) / std.clamp(min=1e-6)
"""


def fix(run: Run, _signs: Signs) -> Fix:
    """Standardise, with the statistics that were seen."""
    data = record(run, "data/train")
    means, stds = numbers(data, "feature_mean"), numbers(data, "feature_std")
    low, high = number(data.get("feature_std_min")), number(data.get("feature_std_max"))
    mean, std = number(data.get("mean")), number(data.get("std"))
    measured, code = "", _GENERAL
    if low is not None and high is not None:
        measured = f" Standard deviations of the features run from {show(low)} to {show(high)}."
    elif mean is not None and std is not None:
        measured = f" The inputs have mean {show(mean)} and standard deviation {show(std)}."
    if means and stds and len(means) == len(stds) <= 16:
        code = (
            f"mean = torch.tensor({python_list(means)})\nstd = torch.tensor({python_list(stds)})\n"
            "x = (x - mean) / std.clamp(min=1e-6)  # from the batches seen; better from the whole training set\n"
        )
    elif (
        len(shape(data)) >= 3 and (number(data.get("min")) or 0.0) >= 0 and 2 < (number(data.get("max")) or 0.0) <= 255
    ):
        code = "x = x.float() / 255  # bytes to the interval from 0 to 1; then subtract the channel means\n"
    elif std and mean is not None and low is None:
        code = f"x = (x - {mean:.4g}) / {std:.4g}\n"
    return Fix(f"Standardise the inputs.{measured}", code, site_of(loader(run, "train")))
