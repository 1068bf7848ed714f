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

import ast

from ..edits import Edits, first_statement, forward_functions, in_parentheses, module_name
from ..wording import num
from ._fixing import Fix, Run, Signs, begin, fixed, said
from ._frameworks import words
from ._known import loader, python_list

FAMILY = "data"
TITLE = "Inputs not normalised"
FOR = {
    "input-scale-odd": 3.5, "input-scale-spread": 3.5, "first-loss-above-chance": 0.7, "saturated-units": 0.5,
    "preactivations-large": 0.5, "gradient-norm-level": 0.5, "loss-oscillating": 0.5, "loss-stuck": 0.5,
    "loss-plateau": 0.5, "loss-falling-slowly": 0.5, "early-instability": 0.3,
}  # fmt: skip
REQUIRES = ("input-scale-odd", "input-scale-spread")

_PATTERN = """\
mean, std = x_train.mean(0), x_train.std(0)  # of the training set only
x = (x - mean) / std.clamp(min=1e-6)
"""
MOST_FEATURES = 16  # with constants of their own in the source
SPREAD = 10.0  # ratio of the features' standard deviations from which one constant for all is not enough


def fix(run: Run, signs: Signs) -> Fix:
    """Standardise where the inputs enter the model, with the statistics that were seen."""
    mean, std = run.training_data.mean, run.training_data.std
    measured = f" Inputs have mean {num(mean)} and standard deviation {num(std)}." if mean is not None and std else ""
    edits = begin(run)
    if mean is not None and std and std > 0:
        _standardise(run, edits, mean, std)
    summary = f"Standardise the inputs with the training set's mean and standard deviation.{measured}"
    summary += said(signs, "input-scale-spread")
    return fixed(run, summary, edits, _PATTERN, near=loader(run, "train"), words=words("standardise-inputs"))


def _standardise(run: Run, edits: Edits, mean: float, std: float) -> None:
    """The first statement of forward of the model that is called from outside, or every call of a model without one.

    A batch norm in front would need eval() in the evaluation, which the script may never call.
    """
    means, stds = run.training_data.feature_mean, run.training_data.feature_std
    outermost = {model.class_name for model in run.models}
    forwards = [
        (source, function)
        for source, function in forward_functions(edits.project)
        if getattr(source.class_of(function), "name", "") in outermost and len(function.args.args) == 2
    ]
    centre, scale, tensor = f"{mean:.4g}", f"{std:.4g}", "torch.tensor"
    if len(forwards) == 1:
        tensor = f"{forwards[0][1].args.args[1].arg}.new_tensor"  # on the device of the inputs
    spread = [value if value > 0 else 1.0 for value in stds or ()]
    if means and len(means) == len(spread) <= MOST_FEATURES and max(spread) > SPREAD * min(spread):
        centre, scale = f"{tensor}({python_list(means)})", f"{tensor}({python_list(spread)})"
    if len(forwards) == 1:
        source, function = forwards[0]
        name = function.args.args[1].arg
        edits.insert_before(source, first_statement(function), f"{name} = ({name} - {centre}) / {scale}")
    elif (made := module_name(run, edits.project)) is not None:
        source, _, name = made
        for use in source.walk(ast.Name):
            around = source.parents[use]
            if not isinstance(use, ast.Name) or use.id != name or not isinstance(around, ast.Call):
                continue
            if around.func is use and len(around.args) == 1 and not around.keywords:
                inputs = in_parentheses(source, around.args[0])
                edits.replace(source, around.args[0], f"({inputs} - {centre}) / {scale}")
            else:
                edits.refuse()  # a function gets the model, perhaps under another name
