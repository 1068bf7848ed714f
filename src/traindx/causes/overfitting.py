"""Training keeps improving while validation gets worse.

## What happens
Both losses fall together at first. Then validation loss reaches its minimum and rises, while training loss goes on
falling, often in stairs at epoch boundaries. Validation accuracy may stay flat for a long time while the loss rises.

## Why
The expected error on new data is that of the best model in reach, plus bias, plus variance: how much the fitted
model depends on the particular sample. Training first fits what many samples share, which lowers the bias; later it
fits what single samples have of their own, noise included, which raises the variance. With more parameters than
samples, nothing in the training loss itself stops that.

Cross-entropy shows it early: on samples that the model gets wrong, its growing confidence makes the loss grow
without bound although the number of errors stays the same. That is why validation *loss* rises before validation
*accuracy* falls, and why a rising loss with flat accuracy means overconfidence first of all.

## Signs
- Validation loss passed a clear minimum and rose well beyond its noise, while training loss kept falling.
- Or validation settled far above the training loss, with a gap in accuracy as well.
- The gap grows with time.
- Few samples for the parameters; training loss falls in stairs, as samples come back.

## Fix
In this order: stop at the minimum (costs nothing), more or augmented data, weight decay and dropout, a smaller
model or a pretrained one.

```python
if validation_loss < best:
    best, waited = validation_loss, 0
    torch.save(model.state_dict(), "best.pt")
else:
    waited += 1
    if waited >= patience:
        break
```

## What not to do
- Do not train on in the hope that it comes back, unless you see double descent.
- Do not judge by training loss, and do not tune on the test set.
- Do not lower the learning rate to hide it: the minimum just comes later.

## Often confused with
- `train-mode-missing`: dropout is off while training, so the model overfits although it has dropout. It is seen
  directly.
- `eval-mode-missing`, `batchnorm-tiny-batch`: validation is bad for another reason.
- `train-val-mismatch`: the gap is there from the first evaluation on and does not grow.
- `noisy-labels`: validation never was better than chance.
- `double-descent`: validation comes down again, below its first minimum.

## Verify
The checkpoint from the minimum scores best on data that neither training nor the choice of the checkpoint has seen.
After regularising, the minimum is lower, not merely later.

## References
- L. Prechelt, "Early Stopping – But When?", 1998.
- T. Hastie, R. Tibshirani, J. Friedman, "The Elements of Statistical Learning", 2nd ed. 2009, chapter 7.
- N. Srivastava et al., "Dropout: A Simple Way to Prevent Neural Networks from Overfitting", JMLR 2014.
- C. Guo, G. Pleiss, Y. Sun, K. Weinberger, "On Calibration of Modern Neural Networks", ICML 2017.
"""

import numpy as np

from ..wording import num
from ._fixing import Fix, Run, Signs, fixed
from ._frameworks import words
from ._known import in_script_words, steps_per_epoch, train_loader

FAMILY = "generalisation"
TITLE = "Overfitting"
FOR = {
    "validation-rising": 4.0, "memorising": 1.5, "samples-per-parameter": 0.7, "no-regularization": 0.7,
    "generalisation-gap": 2.0, "validation-gap": 0.3, "loss-at-floor": 0.3,
}  # fmt: skip
REQUIRES = ("validation-rising", "memorising", "generalisation-gap")

STOP_EARLY = """\
best, waited = float("inf"), 0
for epoch in range(epochs):
    ...  # train and validate as before
    if validation_loss < best:
        best, waited = validation_loss, 0
        torch.save(model.state_dict(), "best.pt")
    elif (waited := waited + 1) >= {patience}:
        break"""


def fix(run: Run, _signs: Signs) -> Fix:
    curve = run.series("loss/validation").finite
    patience = max(3, round(len(curve) / 10))  # long enough to sit out noise
    summary = "Keep the checkpoint with the lowest validation loss and stop when it no longer falls."
    if curve:
        lowest = int(np.argmin(curve.values))
        summary = (
            f"Keep the checkpoint of {_moment(run, int(curve.steps[lowest]))}, where the validation loss was lowest "
            f"({num(float(curve.values[lowest]))}; it ended at {num(float(curve.values[-1]))}). Stop early, then "
            f"regularise or add data.{_proportion(run)}"
        )
    code = in_script_words(run, STOP_EARLY.format(patience=patience))
    return fixed(run, summary, None, code, words=words("early-stopping", patience=patience))


def _moment(run: Run, step: int) -> str:
    """In the log's own unit, where it has one."""
    unit, epoch = run.log.step_unit, steps_per_epoch(run)
    if unit in ("epoch", "row"):
        return f"{unit} {step}"
    return f"step {step} (epoch {step / epoch:.3g})" if epoch else f"step {step}"


def _proportion(run: Run) -> str:
    samples = train_loader(run).size
    parameters = sum(model.trainable for model in run.models)
    return f" {num(parameters)} parameters were trained on {num(samples)} samples." if samples and parameters else ""
