"""The batch is so large that the planned epochs make too few updates.

## What happens
The loss falls smoothly and the run is over before it gets anywhere. There are a handful of updates per epoch, often
only one. The same number of epochs with smaller batches, at the same learning rate, trains well.

## Why
A run makes epochs · N/B updates, with N samples and batches of B. Each update gains about lr·‖G‖² as long as the
learning rate is the limit. A larger batch makes the gradient more exact, with noise variance tr(Σ)/B, but not
longer: beyond the noise scale B_noise = tr(Σ)/‖G‖² the gradient is already nearly exact, and doubling the batch
halves the updates and gains nothing. Then successive gradients are almost parallel: many steps could have been
taken with the samples of one.

Raising the learning rate with the batch makes up for it only up to the stability limit 2/λ. With warmup that goes
far, and past some size it ends.

## Signs
- A handful of updates per epoch, few in all.
- Successive gradients nearly parallel; noise scale far below the batch size.
- The loss is still falling at the end, very smoothly.

## Fix
Take a batch that gives at least tens of updates per epoch, near the noise scale if it is known.

```python
loader = DataLoader(dataset, batch_size=64, shuffle=True)    # was 4096: 2 updates per epoch, now 128
```

If the batch has to stay (many devices): raise the learning rate in proportion (SGD) or by the square root (Adam),
with warmup, and count the run in updates rather than epochs.

## What not to do
- Do not fill the device's memory for its own sake: samples per second are not progress per second.
- Do not only add epochs: that costs k times as much as batches k times smaller.
- Do not load the whole data set as one batch unless it is tiny and the optimizer is made for it (L-BFGS).

## Often confused with
- `undertrained`: enough updates per epoch, too few epochs.
- `lr-too-low`: many updates, each too small. Both show parallel gradients; the number of updates tells them apart.
- `overfitting` blamed on large batches: the generalisation gap mostly vanishes when the number of updates stays the
  same.

## Verify
At the same number of epochs and the same learning rate, the smaller batch ends with a clearly lower training loss.

## References
- S. McCandlish, J. Kaplan, D. Amodei et al., "An Empirical Model of Large-Batch Training", 2018.
- C. Shallue et al., "Measuring the Effects of Data Parallelism on Neural Network Training", JMLR 2019.
- E. Hoffer, I. Hubara, D. Soudry, "Train longer, generalize better", NeurIPS 2017.
- D. Masters, C. Luschi, "Revisiting Small Batch Training for Deep Neural Networks", 2018.
"""

from __future__ import annotations

from ..record import Run
from ..record.values import number
from ..signs import Signs
from ..wording import counted, num
from ._base import Fix
from ._fixing import fixed
from ._known import batch_size, steps_per_epoch, train_loader
from ._rivals import LOSS_FAULTS, NUMBER_FAULTS, SIGNAL_FAULTS, UPDATE_FAULTS
from ._settings import loader_setting

ID = "batch-too-large"
FAMILY = "optimizer"
GAINS = True
TITLE = "Batch size too large (too few updates)"
MEANS = "The batch is so large that the run makes too few updates; smaller batches at the same learning rate fix it."
FOR = {
    "few-updates-per-epoch": 2.0,
    "batch-size-large": 2.0,
    "gradients-agree": 1.5,
    "weights-hardly-move": 1.0,
    "noise-scale-small": 1.5,
    "still-improving": 0.7,
    "loss-falling-slowly": 0.7,
}
AGAINST = {
    **UPDATE_FAULTS,
    **LOSS_FAULTS,
    **NUMBER_FAULTS,
    **SIGNAL_FAULTS,
    "batch-size-small": 3.0,
    "noise-scale-large": 2.0,
    "gradients-oppose": 2.0,
    "loss-oscillating": 2.0,
    "loss-diverged": 2.5,
    "update-ratio-low": 1.5,
    "validation-rising": 2.0,
    "loss-at-floor": 3.0,
    "loss-plateau": 1.0,
    "training-learned": 1.0,
}
REQUIRES = ("few-updates-per-epoch", "batch-size-large")
EXPLAINS = ("undertrained",)
AVOID = (
    "Do not fill the device's memory for its own sake: samples per second are not progress per second.",
    "Do not only add epochs: that costs more than smaller batches do.",
)
VERIFY = "At equal epochs and equal learning rate, the smaller batch ends with a clearly lower training loss."
REFERENCE = "C. Shallue et al., Measuring the Effects of Data Parallelism on Neural Network Training, JMLR 2019"

UPDATES_WANTED = 50  # an epoch with tens of updates is what small-data recipes use
SMALLEST_PROPOSAL = 16
LARGEST_PROPOSAL = 256


def fix(run: Run, _signs: Signs) -> Fix:
    size = batch_size(run)
    samples = number(train_loader(run).get("size"))
    epoch = steps_per_epoch(run)
    if not samples and size and epoch:
        samples = size * epoch
    wanted = samples / UPDATES_WANTED if samples else (size or 1024.0) / 16
    wanted = min(max(wanted, SMALLEST_PROPOSAL), LARGEST_PROPOSAL)
    if size:
        wanted = min(wanted, size / 4)
    new = 1 << max(0, int(wanted).bit_length() - 1)  # the power of two below
    if size and size <= SMALLEST_PROPOSAL:
        summary = (
            f"Train for more epochs: batches of {num(size)} are small already, and the run made {run.steps} updates."
        )
        return fixed(run, summary, None, "epochs = 4 * epochs")
    new = max(new, 8)
    reasons = []
    if epoch:
        reasons.append(f"an epoch has only {counted(epoch, 'update')} and the run {run.steps}")
    if samples:
        reasons.append(f"with {new} an epoch of {num(samples)} samples has {-(-samples // new):.0f}")
    words = {
        "keras": f"model.fit(x, y, batch_size={new}, ...)",
        "huggingface": f"TrainingArguments(..., per_device_train_batch_size={new})",
        "lightning": f"DataLoader(dataset, batch_size={new}, shuffle=True)",
    }
    return loader_setting(run, "batch_size", str(new), "; ".join(reasons) or "keep the learning rate", words=words)
