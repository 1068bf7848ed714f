"""Gradient noise of small batches drowns the signal; no learning rate does as well as a larger batch.

## What happens
The loss is very noisy and falls little. At a stable learning rate it crawls, at a higher one it only jumps about. No
learning rate at this batch size does as well, per sample seen, as a larger batch would.

## Why
The gradient of a batch of B samples is the true gradient G plus noise of variance tr(Σ)/B, where Σ is the
covariance of single-sample gradients. Their ratio gives the simple noise scale

    B_noise = tr(Σ) / ‖G‖²

For B ≪ B_noise a step is nearly all noise: successive gradients are almost orthogonal. The best learning rate then
shrinks as lr_best ≈ lr_max / (1 + B_noise/B), so each step buys little. Up to that point noise only costs steps:
halving the batch doubles the steps and uses the same number of samples. What makes tiny batches worse than that is
the overhead of each step, batch norm's statistics, adaptive second moments filled with noise, and a learning rate
that is not lowered to match.

## Signs
- Noise scale far above the batch size.
- Gradients of neighbouring batches nearly unrelated, or pointing opposite ways.
- Batch of one to a few samples; loss noisy from one step to the next, without a trend that stands out.

## Fix
Enlarge the batch towards the noise scale; if memory does not allow, accumulate. Raise the learning rate with the
batch: in proportion for SGD (linear scaling rule), by the square root for Adam.

```python
loader = DataLoader(dataset, batch_size=64, shuffle=True)

for i, (inputs, targets) in enumerate(loader):      # or: accumulate k micro-batches
    (criterion(model(inputs), targets) / k).backward()
    if (i + 1) % k == 0:
        optimizer.step()
        optimizer.zero_grad()
```

## What not to do
- Do not accumulate to repair batch norm: its statistics still come from the micro-batch.
- Do not judge by the noise of the plotted loss alone: smooth it first, many noisy curves are healthy.
- Do not enlarge far beyond the noise scale: past it, samples are wasted.

## Often confused with
- `lr-never-decays`: good early progress and a floor at the end, which decay removes.
- `lr-too-high`: overshoot in every batch alike; a smaller learning rate fixes it fully.
- `batchnorm-tiny-batch`: training and evaluation disagree because of batch statistics.
- `noisy-labels`: large batches do not help, validation stays at chance.
- `unshuffled-data`: successive batches differ systematically, not by chance.

## Verify
With the batch four times as large and the learning rate scaled, the loss at the same number of samples is lower,
and successive gradients agree more.

## References
- S. McCandlish, J. Kaplan, D. Amodei et al., "An Empirical Model of Large-Batch Training", 2018.
- P. Goyal et al., "Accurate, Large Minibatch SGD: Training ImageNet in 1 Hour", 2017.
- S. Malladi et al., "On the SDEs and Scaling Rules for Adaptive Gradient Algorithms", NeurIPS 2022.
"""

import math

from ..wording import num, round_figure
from ._fixing import Fix, Run, Signs
from ._known import adaptive, batch_size, learning_rate, median, train_loader
from ._settings import loader_setting

FAMILY = "optimizer"
SETTLED_BY = ("lr",)
TITLE = "Batch size too small (gradient noise)"
FOR = {
    "noise-scale-large": 2.0, "batch-size-small": 2.0, "gradients-oppose": 0.5, "late-noise-floor": 0.7,
    "loss-oscillating": 0.5, "gradient-norm-heavy-tail": 0.5, "step-overshoots": 0.3,
}  # fmt: skip
REQUIRES = ("noise-scale-large", "batch-size-small")

SMALLEST_PROPOSAL = 32  # below this, the fixed cost of a step outweighs what small batches save
LARGEST_FACTOR = 32  # the noise scale is a rough estimate, and each epoch has that many updates less


def fix(run: Run, _signs: Signs) -> Fix:
    size = batch_size(run)
    noise = median(run, "noise_scale")
    wanted = float(SMALLEST_PROPOSAL)
    if size:
        wanted = min(max(wanted, 4 * size, noise or 0.0), LARGEST_FACTOR * size)
    samples = train_loader(run).size
    if samples and samples >= 2:
        wanted = min(wanted, max(2.0, samples / 10))  # at least ten updates per epoch remain
    new = 2 ** max(1, round(math.log2(max(2.0, wanted))))
    if samples and new > samples:
        new = int(samples)
    if size and new <= size:  # so few samples that ten updates per epoch are out of reach: the data are the limit
        new = int(2 * size)
    reasons = []
    if noise and noise > 0 and size:
        reasons.append(f"the gradient noise scale is about {num(noise)} samples, the batch size {num(size)}")
    old = learning_rate(run)
    if old and size and new > size:
        growth = new / size
        scaled = round_figure(old * (growth**0.5 if adaptive(run) else growth))
        rule = "square-root rule for Adam" if adaptive(run) else "linear rule for SGD"
        reasons.append(f"then raise the learning rate step by step from {num(old)} to at most {num(scaled)} ({rule})")
    why = "; ".join(reasons) or "then raise the learning rate in proportion"
    return loader_setting(run, "batch_size", str(new), why, safety="costly")
