"""Labels do not belong to their inputs, so only memorising lowers the loss.

## What happens

Training loss stays near chance for a long time and then falls slowly, in stairs at epoch boundaries, as the model
memorises sample after sample. Validation stays at chance from the first epoch to the last. The model, the learning
rate and the code of the loop look fine, and are.

## Why

If labels are independent of inputs, the best prediction is the label distribution, and the best possible
cross-entropy on new data is its entropy H(y) = -Σ p log p: ln 10 = 2.30 for ten equal classes. Nothing below that
generalises. Large networks can still memorise random labels, with enough epochs, which is why training loss falls
while validation does not. If a share q of the labels is random, the floor on clean answers rises with q, and the
model first learns the true pattern, then memorises the rest. Usual origins: inputs and labels shuffled by two
separate permutations; files listed in another order than the label table; an off-by-one when rows are dropped from
one side only; augmentation applied to the image but not to its mask; class ids mapped differently in two places.

## Signs

- Validation at chance throughout, while training loss falls slowly or in stairs.
- Loss stays near chance although a single batch can be memorised.
- If only some labels are wrong: labels disagree with the model's most confident predictions nearly as often as with
  all others.

## Fix

Look at pairs. Twenty samples, drawn as the loop sees them, are worth more than any tuning:

```python
x, y = next(iter(train_loader))
for i in range(20):
    show(x[i], title=class_names[y[i]])

order = torch.randperm(len(inputs))
inputs, labels = inputs[order], labels[order]  # one permutation for both
```

## What not to do

- Do not enlarge the model or train longer: both help only to memorise.
- Do not regularise harder: the gap closes because training gets worse.
- Do not trust training accuracy.

## Often confused with

- `overfitting`: validation improves first and worsens later.
- `train-val-mismatch`: validation is wrong, and a part of the training set held out is fine.
- `scrambled-axes`: the labels are right and the inputs were mixed up inside the model.
- `lr-too-low`: validation follows training.
- A hard task with weak signal: looks the same, and only looking at samples tells.

## Verify

A person agrees with most of 20 labels, and validation passes chance within the first epochs.

## References

- Zhang, Bengio, Hardt, Recht, Vinyals: Understanding deep learning requires rethinking generalization (2017).
- Northcutt, Athalye, Mueller: Pervasive label errors in test sets destabilize machine learning benchmarks (2021).
"""

from __future__ import annotations

import math

from ..record import Run
from ..record.site import site_of
from ..record.values import mapping, number
from ..signs import Signs
from ..wording import num
from ._base import Fix
from ._facts import loader
from ._fixing import fixed

ID = "noisy-labels"
FAMILY = "data"
SETTLED_BY = ("check",)
TITLE = "Wrong or shuffled labels"
MEANS = "Labels do not belong to their inputs (shuffled, misaligned, random), so only memorising lowers the loss."
FOR = {
    "validation-at-chance": 3.0,
    "memorising": 1.5,
    "generalisation-gap": 0.5,
    "confident-errors": 3.0,
    "train-above-validation": 1.0,
    "training-at-chance": 1.0,
    "loss-stuck": 0.5,
    "first-loss-at-chance": 0.3,
    "loss-falling-slowly": 0.5,
    "validation-rising": 0.5,
}
AGAINST = {
    "loss-at-floor": 3.0,
    "axes-scrambled": 4.0,
    "targets-follow-inputs": 4.0,
    "softmax-over-batch": 3.0,
    "loss-broadcasts": 3.0,
    "eval-in-train-mode": 1.5,
    "train-in-eval-mode": 1.5,
    "train-eval-inputs-differ": 3.0,
    "norm-tiny-batch": 1.5,
    "labels-skewed": 1.0,
    "strong-dropout": 2.0,
    "rows-identical": 3.0,
    "params-outside-optimizer": 2.0,
    "params-never-move": 2.0,
    "gradients-vanish-with-depth": 2.0,
    "gradients-fade-along-chain": 2.0,
    "weak-signal-ranked": 1.0,
    "gradients-zero": 2.0,
    "update-ratio-low": 1.5,
    "weights-hardly-move": 3.0,
    "update-ratio-high": 1.0,
    "lr-collapsed": 2.0,
    "dead-units": 1.5,
    "saturated-units": 1.0,
    "loss-diverged": 1.5,
    "batches-single-class": 2.0,
    "gradients-agree": 2.0,
    "still-improving": 1.0,
    "too-short": 1.0,
    "training-learned": 2.0,
    "validation-learned": 1.5,
    "rate-above-usual": 1.0,
    "rate-below-usual": 1.0,
}
REQUIRES = ("validation-at-chance", "training-at-chance", "confident-errors")
EXPLAINS = ("overfitting", "model-too-small")
AVOID = (
    "Do not enlarge the model or train longer: both only help to memorise.",
    "Do not regularise harder: the gap closes because training gets worse.",
)
VERIFY = (
    "A person agrees with most of 20 labels as the loop sees them, and validation passes chance in the first epochs."
)
REFERENCE = "Zhang et al., Understanding deep learning requires rethinking generalization, 2017"

_LOOK = """\
x, y = next(iter(train_loader))  # exactly what the loop sees
for i in range(min(20, len(x))):
    print(int(y[i]), x[i].float().mean().item(), tuple(x[i].shape))  # better: plot x[i] with its label

order = torch.randperm(len(inputs))
inputs, labels = inputs[order], labels[order]  # one permutation for both
"""
_WORDS = {
    "keras": "for x, y in zip(x_train[:20], y_train[:20]): print(y, x.mean())  # what model.fit sees",
    "huggingface": "print(trainer.get_train_dataloader().dataset[:20])  # inputs beside their labels",
    "lightning": "batch = next(iter(trainer.datamodule.train_dataloader()))  # inputs beside their labels",
}


def fix(run: Run, signs: Signs) -> Fix:
    """Look at pairs; gives the chance level that the loss must pass."""
    histogram = mapping(run.fact("targets/train").get("histogram"))
    counts = [count for key in histogram if (count := number(histogram.get(key)))]
    measured = ""
    if len(counts) > 1:
        total = sum(counts)
        entropy = -sum(count / total * math.log(count / total) for count in counts)
        measured = f" Chance for this label distribution ({len(counts)} classes) is a cross-entropy of {num(entropy)}."
        validation = run.series("loss/validation").finite.values
        if validation.size:
            measured += f" The best validation loss was {num(float(validation.min()))}."
    summary = (
        f"Compare inputs with labels where the loop receives them, and shuffle both with one permutation.{measured}"
    )
    wrong = signs.get("confident-errors")
    if wrong is not None and wrong.raised:
        summary = (
            f"Read fifty of the training samples whose label disagrees with a confident prediction "
            f"({100 * wrong.value:.0f} % of the most confident predictions)."
        )
    return fixed(run, summary, None, _LOOK, near=site_of(loader(run, "train")), words=_WORDS)
