"""Input features are huge, tiny or on wildly different scales.

## What happens

With a learning rate that suits ordinary data the loss jumps about or diverges; with a learning rate that is small
enough it crawls. Sigmoid and tanh layers saturate at once. Networks that begin with batch norm hardly notice.

## Why

The first layer's gradient is δ·xᵀ, so it grows with the input, and the curvature along a feature's weight grows
with E[x²]. For a linear model the Hessian is E[xxᵀ]. Gradient descent is stable only below 2/λ_max and needs about
λ_max/λ_min steps: one feature of size 1000 beside others of size 1 makes a condition number of a million. An offset
is as bad as a scale: features with mean 100 and std 1 share one huge direction, 1 + 100², of which nothing can be
learned. Standardising makes the diagonal of the Hessian equal and lets one learning rate suit all weights. Adam
evens out scales between weights, but not the saturation, the poor conditioning in correlated directions, or a first
layer whose outputs are in the thousands.

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

- Do not lower the learning rate until it is stable: the small features then never train.
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

import ast

from ..edits import Edits
from ..edits.layers import (
    prefix,
)
from ..edits.loops import (
    forward_functions,
)
from ..edits.source import callee
from ..record import Run
from ..record.site import site_of
from ..record.values import number
from ..signs import Signs
from ..wording import num
from ._base import Fix
from ._facts import loader, numbers, python_list
from ._fixing import begin, fixed

ID = "unscaled-inputs"
FAMILY = "data"
TITLE = "Inputs not normalised"
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
    "Do not lower the learning rate until it is stable: the small features then never train.",
    "Do not standardise each batch by itself: a sample's value then depends on its neighbours.",
    "Do not compute the statistics before the split: that leaks.",
)
VERIFY = "Each training feature has mean near 0 and standard deviation near 1, and the first loss is near chance."
REFERENCE = "LeCun, Bottou, Orr & Müller, Efficient BackProp, 1998, section 4.3"

_PATTERN = """\
mean, std = x_train.mean(0), x_train.std(0)  # of the training set only
x = (x - mean) / std.clamp(min=1e-6)
"""
_WORDS = {"keras": "normalise = keras.layers.Normalization(); normalise.adapt(x_train)  # as the first layer"}


def fix(run: Run, _signs: Signs) -> Fix:
    """Standardise where the inputs enter the model, with the statistics that were seen."""
    data = run.fact("data/train")
    means, stds = numbers(data, "feature_mean"), numbers(data, "feature_std")
    mean, std = number(data.get("mean")), number(data.get("std"))
    low, high = number(data.get("feature_std_min")), number(data.get("feature_std_max"))
    measured = f" Inputs have mean {num(mean)} and standard deviation {num(std)}." if mean is not None and std else ""
    if low and high and high > 10 * low:
        measured += f" Standard deviations of single features run from {num(low)} to {num(high)}."
    edits = begin(run)
    if edits is not None and mean is not None and std and std > 0:
        _standardise(run, edits, means, stds, mean, std)
    summary = f"Standardise the inputs with the training set's mean and standard deviation.{measured}"
    return fixed(run, summary, edits, _PATTERN, near=site_of(loader(run, "train")), words=_WORDS)


def _standardise(
    run: Run, edits: Edits, means: list[float] | None, stds: list[float] | None, mean: float, std: float
) -> None:
    """The first statement of forward, or a batch norm as the first layer of a Sequential."""
    forwards = [
        (source, function)
        for source, function in forward_functions(edits.project)
        if (home := source.class_of(function)) is not None
        and home.name in _outermost(run)
        and len(function.args.args) == 2
    ]
    if len(forwards) == 1:
        source, function = forwards[0]
        name = function.args.args[1].arg
        centre, scale = f"{mean:.4g}", f"{std:.4g}"
        if means and stds and len(means) == len(stds) <= 16 and max(stds) > 10 * min(s for s in stds if s > 0):
            spread = [value if value > 0 else 1.0 for value in stds]
            centre, scale = f"torch.tensor({python_list(means)})", f"torch.tensor({python_list(spread)})"
        body = function.body
        documented = isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant)
        edits.insert_before(
            source, body[1 if documented and len(body) > 1 else 0], f"{name} = ({name} - {centre}) / {scale}"
        )
        return
    made = [(s, c) for s, c in edits.project.calls("Sequential") if c.args and s.class_of(c) is None]
    first = made[0][1].args[0] if len(made) == 1 else None
    if first is not None and callee(first) == "Linear" and isinstance(first, ast.Call) and first.args:
        source = made[0][0]
        width = source.segment(first.args[0])
        start = source.span(first)[0]
        line = source.text[source.starts[first.lineno - 1] : start]
        gap = f"\n{line}" if not line.strip() else " "
        edits.splice(source, start, start, f"{prefix(source, first)}BatchNorm1d({width}, affine=False),{gap}")


def _outermost(run: Run) -> set[str]:
    """The classes of the models that are called from outside."""
    return {str(model.get("class")) for model in run.entries("models")}
