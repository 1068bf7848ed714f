"""Validation worsens, peaks near interpolation and improves again: training longer or a larger model helps.

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
- P. Nakkiran et al., "Deep Double Descent: Where Bigger Models and More Data Hurt", ICLR 2020.
- M. Belkin, D. Hsu, S. Ma, S. Mandal, "Reconciling modern machine-learning practice and the classical bias–variance
  trade-off", PNAS 2019.
- P. Nakkiran et al., "Optimal Regularization Can Mitigate Double Descent", ICLR 2021.
- A. Power et al., "Grokking: Generalization Beyond Overfitting on Small Algorithmic Datasets", 2022.
"""

from ..wording import num4
from ._fixing import Fix, Run, Signs, fixed
from ._frameworks import words

FAMILY = "generalisation"
TITLE = "Double descent"
ADVISORY = True
FOR = {"validation-double-descent": 5.0, "samples-per-parameter": 0.3, "memorising": 0.3}
REQUIRES = ("validation-double-descent",)


def fix(run: Run, signs: Signs) -> Fix:
    curve = run.series("loss/validation").finite
    code = "patience = epochs // 2  # early stopping must outlast the peak"
    if len(curve) < 3:
        summary = "Set early-stopping patience long enough to pass the peak, and keep the best checkpoint of the run."
        return fixed(run, summary, None, code, words=words("past-the-peak"))
    sign = signs.get("validation-double-descent")
    lowest = f"lowest validation loss so far: {num4(float(curve.values.min()))}"
    second = f"the second minimum is {num4(sign.values['second_minimum'])}" if sign is not None and sign.raised else ""
    seen = f" ({second or lowest})"
    summary = f"Train past the peak and keep the best checkpoint of the run{seen}."
    return fixed(run, summary, None, code, safety="costly", words=words("past-the-peak"))
