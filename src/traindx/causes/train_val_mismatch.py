"""Validation data are prepared differently from training data, or come from elsewhere.

## What happens

Training is healthy; validation is far worse from the very first epoch, and the distance does not grow. The same
model does well on a part of the training files that was held out.

## Why

A model learns p(y | x) where x is *prepared* data. If validation inputs are divided by 255 and training inputs are
not, resized another way, in BGR instead of RGB, tokenised by another vocabulary, or standardised by their own mean,
the model sees inputs from outside its experience from the first evaluation on. The gap is then there at once and is
about constant, while overfitting starts at zero and grows with the epochs. A real change of source (another
hospital, another year) looks the same in the curves: then the number is honest, and the training set is what has to
change.

Some differences are meant: augmentation is for training only, and makes training loss *higher* than validation's.

## Signs

- Validation far worse from the first evaluation, not growing.
- Mean, standard deviation or range of the inputs differ between the two loaders; of texts, how often each token
  occurs.

## Fix

One function prepares both, with constants from the training set:

```python
normalise = transforms.Normalize(mean=train_mean, std=train_std)
train_transform = transforms.Compose([transforms.RandomHorizontalFlip(), transforms.ToTensor(), normalise])
validation_transform = transforms.Compose([transforms.ToTensor(), normalise])
```

Then compare one sample, prepared in both ways, by eye and by its mean, std, min and max.

## What not to do

- Do not add regularisation: there is no overfitting to regularise.
- Do not standardise validation by its own statistics: in use, you have none.
- Do not move validation samples into training to close the gap.

## Often confused with

- `overfitting`: the gap starts small and grows.
- `eval-mode-missing`, `train-mode-missing`, `batchnorm-tiny-batch`: the model, not the data, differs between the
  passes.
- `noisy-labels`: held-out *training* samples are at chance too.

## Verify

Input statistics of both loaders agree, and held-out training samples and validation samples start at a similar loss.

## References

- Quiñonero-Candela, Sugiyama, Schwaighofer, Lawrence (eds.): Dataset Shift in Machine Learning (2009).
- Recht, Roelofs, Schmidt, Shankar: Do ImageNet classifiers generalize to ImageNet? (2019).
"""

from __future__ import annotations

from ..record import Run
from ..record.site import site_of
from ..record.values import mapping, number
from ..signs import Signs
from ..wording import num
from ._base import Fix
from ._facts import loader
from ._fixing import fixed

ID = "train-val-mismatch"
FAMILY = "data"
MISLEADS = "validation"
SETTLED_BY = ("check",)
TITLE = "Training and validation data differ"
MEANS = "Validation data are prepared differently, or come from another source, than the training data."
FOR = {
    "train-eval-inputs-differ": 4.5,
    "validation-gap": 2.5,
    "generalisation-gap": 1.0,
    "validation-at-chance": 1.5,
}
AGAINST = {
    "validation-rising": 1.0,
    "eval-in-train-mode": 3.0,
    "train-in-eval-mode": 3.0,
    "norm-tiny-batch": 2.5,
    "samples-shared": 1.0,
    "memorising": 1.0,
    "samples-per-parameter": 0.5,
    "axes-scrambled": 1.5,
    "softmax-over-batch": 2.5,
    "future-visible": 1.0,
    "batches-single-class": 2.0,
    "train-above-validation": 1.5,
    "validation-learned": 1.5,
    "labels-skewed": 1.0,
}
REQUIRES = ("train-eval-inputs-differ", "validation-at-chance")
EXPLAINS = ("overfitting", "noisy-labels")
AVOID = (
    "Do not add regularisation: there is no overfitting to regularise.",
    "Do not standardise validation data by their own statistics: at inference there are none.",
)
VERIFY = "Input statistics of both loaders agree, and validation loss starts where training loss starts."
REFERENCE = "Quiñonero-Candela et al. (eds.), Dataset Shift in Machine Learning, 2009"

_VOCABULARY = "vocabulary = build_vocabulary(train_texts)  # once, and the same for training, validation and use\n"


def fix(run: Run, _signs: Signs) -> Fix:
    """One preparation for both; shows both loaders' statistics."""
    train, evaluation = run.fact("data/train"), run.fact("data/eval")
    differences = []
    for name in ("mean", "std", "min", "max"):
        ours, theirs = number(train.get(name)), number(evaluation.get(name))
        if ours is not None and theirs is not None:
            differences.append(f"{name} {num(ours)} and {num(theirs)}")
    measured = f" Training and validation inputs have {', '.join(differences)}." if differences else ""
    near = site_of(loader(run, "eval")) or site_of(loader(run, "train"))
    apart = number(mapping(evaluation.get("ids")).get("distance"))
    if apart is not None:
        summary = f"Use one vocabulary for both sets: their token distributions differ (total variation {num(apart)})."
        return fixed(run, summary, None, _VOCABULARY, near=near)
    mean, std = number(train.get("mean")), number(train.get("std"))
    centre, scale = (f"{mean:.4g}", f"{std:.4g}") if mean is not None and std else ("train_mean", "train_std")
    code = (
        "def prepare(x):  # the same for training, validation and use\n"
        f"    return (x.float() - {centre}) / {scale}  # constants of the training set\n"
    )
    summary = f"Prepare both sets with one function and the training set's constants.{measured}"
    return fixed(run, summary, None, code, near=near)
