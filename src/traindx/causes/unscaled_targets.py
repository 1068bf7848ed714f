"""Regression targets are so large or so far from zero that loss and gradients dwarf the weights.

## What happens
The first loss is in the thousands or millions. With the usual learning rate it diverges or turns NaN; with one that
is small enough it falls in a long straight line while the last bias travels from 0 to the targets' mean, and only
then does learning begin.

## Why
A fresh network answers about 0 with a spread of about 1. For targets with mean m and std s the first squared error
is m² + s², and its gradient with respect to the outputs is of size 2m. Through backpropagation every weight's
gradient is that many times too large for a learning rate tuned on unit targets. Adam, whose step is about the
learning rate whatever the gradient, needs m/learning rate steps just to move the bias: 200 000 steps for m = 200 at
1e-3. Standardised targets put the answer where the network starts, the first loss at 1, and 1 - loss reads as R² at
any time.

## Signs
- Target magnitude orders above that of the outputs at the start.
- The first loss equals the mean square of the targets; gradients are huge, or the last bias grows steadily.

## Fix
```python
mean, std = y_train.mean(), y_train.std()
loss = torch.nn.functional.mse_loss(model(x), (y - mean) / std)
prediction = model(x) * std + mean  # where it is reported
```

Prices, counts and other heavy-tailed positive targets: predict log(y) or log1p(y). At the least, start the last
bias at the mean.

## What not to do
- Do not lower the learning rate to tame the gradients: the offset then takes even longer.
- Do not divide the loss by a constant and stop there: the outputs still have to travel.
- Do not forget to transform back before you report an error in the targets' unit.

## Often confused with
- `lr-too-high`: targets are of unit scale.
- `output-range-mismatch`: an activation forbids the values.
- `lr-too-low`: slow as well, with targets of unit scale.
- `exploding-gradients`: gradients are ordinary most of the time.

## Verify
The first loss is near 1, and gradients at the start are of ordinary size (about 0.1 to 10).

## References
- LeCun, Bottou, Orr, Müller: Efficient BackProp (1998), on target values.
"""

from ._fixing import Fix, Run, Signs, fixed
from ._frameworks import words
from ._known import loader, training_loss

FAMILY = "data"
TITLE = "Regression targets not normalised"
FOR = {
    "target-scale-large": 4.5, "gradient-norm-level": 0.7, "first-loss-above-chance": 0.3, "loss-falling-slowly": 0.7,
    "loss-diverged": 0.3, "loss-not-finite": 0.3, "weights-growing": 0.3, "gradients-agree": 0.3,
}  # fmt: skip
REQUIRES = ("target-scale-large",)


def fix(run: Run, _signs: Signs) -> Fix:
    """Standardise the targets with the statistics that were seen."""
    mean, std = run.training_targets.mean, run.training_targets.std
    centre, scale = (f"{mean:.4g}", f"{std:.4g}") if mean is not None and std else ("y_mean", "y_std")
    measured = f" Targets have mean {centre} and standard deviation {scale}." if mean is not None and std else ""
    code = f"y = (y - {centre}) / {scale}  # constants of the training set; report output * {scale} + {centre}\n"
    near = training_loss(run).site or loader(run, "train").site
    summary = f"Standardise the targets, and undo it when you report.{measured}"
    return fixed(run, summary, None, code, near=near, words=words("standardise-targets"))
