"""Validation gets worse, peaks, and then gets better than before.

## What happens
Validation error falls, rises to a peak, and falls again, below its first minimum. It happens along the training
time, and in the same way along the size of the model or of the data set. Early stopping at the first minimum would
have missed the better one.

## Why
The peak lies where the model is just able to fit the training set exactly. There only one solution, or nearly one,
fits, and it is bent by whatever noise the samples carry: for linear least squares with n samples and d features the
variance grows like 1/|1 − d/n| near d = n. Beyond, many solutions fit, and training picks smooth ones of small norm
among them, so the variance falls again. Along time the same thing shows when the effective size of the model grows
with training: first it fits the shared structure, next it bends to fit noisy labels, last it finds a smoother way
to fit both.

Noise in the labels makes the peak high. Regularisation of the right strength flattens it or takes it away.

## Signs
- Validation loss or error falls, rises beyond its noise, and falls below the earlier minimum.
- Training error reaches about zero around the peak.

## Fix
Train past the peak if you can afford it, take a larger model, or regularise so that the peak does not arise. Keep
the best checkpoint of the whole run, not of its first half.

```python
patience = epochs // 2     # early stopping must outlast the peak
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=0.05)
```

## What not to do
- Do not expect it of every overfitting curve: most never come back.
- Do not read one dip of a noisy curve as a second descent; ask for several evaluations below the first minimum.
- Do not remove data to get away from the peak, although near it that may help.

## Often confused with
- `overfitting`: validation rises and stays up.
- `lr-decays-too-soon` and restarts: a drop right where the learning rate is cut is the schedule's doing.
- Grokking: validation stays at chance for long after training is perfect, then jumps.

## Verify
Repeat with another seed: the second minimum is lower again. Draw error, not only loss, since rising confidence
alone lets the loss rise.

## References
- M. Belkin, D. Hsu, S. Ma, S. Mandal, "Reconciling modern machine-learning practice and the classical bias–variance
  trade-off", PNAS 2019.
- P. Nakkiran et al., "Deep Double Descent: Where Bigger Models and More Data Hurt", ICLR 2020.
- P. Nakkiran et al., "Optimal Regularization Can Mitigate Double Descent", ICLR 2021.
- A. Power et al., "Grokking: Generalization Beyond Overfitting on Small Algorithmic Datasets", 2022.
"""

from __future__ import annotations

import numpy as np

from ..record import Run
from ..signs import Signs
from ..wording import num
from ._base import Fix
from ._fixing import fixed

ID = "double-descent"
FAMILY = "generalisation"
TITLE = "Double descent"
MEANS = "Validation worsens, peaks near interpolation and improves again: training longer or a larger model helps."
ADVISORY = True
FOR = {"validation-double-descent": 5.0, "samples-per-parameter": 0.3, "memorising": 0.3}
AGAINST = {"eval-in-train-mode": 2.0, "train-in-eval-mode": 2.0, "norm-tiny-batch": 1.5, "several-runs": 1.0}
REQUIRES = ("validation-double-descent",)
EXPLAINS = ("overfitting",)
AVOID = (
    "Do not expect it of every overfitting curve: most never come back.",
    "Do not read one dip of a noisy curve as a second descent.",
)
VERIFY = "Another seed shows the second, lower minimum again, in error and not only in loss."
REFERENCE = "P. Nakkiran et al., Deep Double Descent: Where Bigger Models and More Data Hurt, ICLR 2020"


def fix(run: Run, _signs: Signs) -> Fix:
    curve = run.series("loss/validation").finite
    words = {
        "keras": "keras.callbacks.EarlyStopping(patience=epochs // 2, restore_best_weights=True)",
        "huggingface": "TrainingArguments(..., load_best_model_at_end=True)  # and no early stopping before the peak",
        "lightning": 'ModelCheckpoint(monitor="val_loss", save_top_k=1)  # and EarlyStopping(patience=epochs // 2)',
    }
    code = "patience = epochs // 2  # early stopping must outlast the peak"
    if len(curve) < 3:
        summary = "Set early-stopping patience long enough to pass the peak, and keep the best checkpoint of the run."
        return fixed(run, summary, None, code, words=words)
    lowest = int(np.argmin(curve.values))
    # The peak is where the curve stands highest above the best value reached before.
    rise = curve.values[: lowest + 1] - np.minimum.accumulate(curve.values[: lowest + 1])
    peak = int(np.argmax(rise))
    passed = f", after a peak of {num(float(curve.values[peak]))} at step {int(curve.steps[peak])}" if peak else ""
    summary = (
        f"Train past the peak and keep the best checkpoint of the run: the lowest validation loss is "
        f"{num(float(curve.values[lowest]))} at step {int(curve.steps[lowest])}{passed}."
    )
    return fixed(run, summary, None, code, safety="costly", words=words)
