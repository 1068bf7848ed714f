"""The batch is so large that the run makes too few updates; smaller batches at the same learning rate fix it.

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
- C. Shallue et al., "Measuring the Effects of Data Parallelism on Neural Network Training", JMLR 2019.
- S. McCandlish, J. Kaplan, D. Amodei et al., "An Empirical Model of Large-Batch Training", 2018.
- E. Hoffer, I. Hubara, D. Soudry, "Train longer, generalize better", NeurIPS 2017.
- D. Masters, C. Luschi, "Revisiting Small Batch Training for Deep Neural Networks", 2018.
"""

from ..wording import counted, num
from ._fixing import Fix, Run, Signs, fixed
from ._known import batch_size, steps_per_epoch, train_loader
from ._settings import loader_setting

FAMILY = "optimizer"
GAINS = True
TITLE = "Batch size too large (too few updates)"
FOR = {
    "few-updates-per-epoch": 2.0, "batch-size-large": 2.0, "gradients-agree": 1.5, "weights-hardly-move": 1.0,
    "noise-scale-small": 1.5, "still-improving": 0.7, "loss-falling-slowly": 0.7,
}  # fmt: skip
REQUIRES = ("few-updates-per-epoch", "batch-size-large")

UPDATES_WANTED = 50  # an epoch with tens of updates is what small-data recipes use
SMALLEST_PROPOSAL = 16
LARGEST_PROPOSAL = 256


def fix(run: Run, _signs: Signs) -> Fix:
    size, epoch = batch_size(run), steps_per_epoch(run)
    if size and size <= SMALLEST_PROPOSAL:
        summary = (
            f"Train for more epochs: batches of {num(size)} are small already, and the run made {run.steps} updates."
        )
        return fixed(run, summary, None, "epochs = 4 * epochs")
    samples = train_loader(run).size or (size * epoch if size and epoch else None)
    wanted = samples / UPDATES_WANTED if samples else (size or 1024.0) / 16
    wanted = min(max(wanted, SMALLEST_PROPOSAL), LARGEST_PROPOSAL, size / 4 if size else LARGEST_PROPOSAL)
    new = max(8, 1 << max(0, int(wanted).bit_length() - 1))  # the power of two below
    reasons = [f"an epoch has only {counted(epoch, 'update')} and the run {run.steps}"] if epoch else []
    if samples:
        reasons.append(f"with {new} an epoch of {num(samples)} samples has {-(-samples // new):.0f}")
    return loader_setting(run, "batch_size", str(new), "; ".join(reasons) or "keep the learning rate")
