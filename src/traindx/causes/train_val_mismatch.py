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
- Do not standardise validation data by their own statistics: at inference there are none.
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

from ..wording import num
from ._fixing import Fix, Run, Signs, fixed, said
from ._known import loader

FAMILY = "data"
MISLEADS = "validation"
SETTLED_BY = ("check",)
TITLE = "Training and validation data differ"
FOR = {
    "train-eval-inputs-differ": 4.5, "validation-gap": 2.5, "generalisation-gap": 1.0, "validation-at-chance": 1.5,
}  # fmt: skip
REQUIRES = ("train-eval-inputs-differ", "validation-at-chance")

_VOCABULARY = "vocabulary = build_vocabulary(train_texts)  # once, and the same for training, validation and use\n"


def fix(run: Run, signs: Signs) -> Fix:
    """One preparation for both, with the training set's statistics."""
    train, evaluation = run.training_data, run.evaluation_data
    near = loader(run, "eval").site or loader(run, "train").site
    apart = evaluation.ids.distance
    if apart is not None:
        summary = f"Use one vocabulary for both sets: their token distributions differ (total variation {num(apart)})."
        return fixed(run, summary, None, _VOCABULARY, near=near)
    mean, std = train.mean, train.std
    centre, scale = (f"{mean:.4g}", f"{std:.4g}") if mean is not None and std else ("train_mean", "train_std")
    code = (
        "def prepare(x):  # the same for training, validation and use\n"
        f"    return (x.float() - {centre}) / {scale}  # constants of the training set\n"
    )
    summary = "Prepare both sets with one function and the training set's constants."
    summary += said(signs, "train-eval-inputs-differ", "validation-at-chance")
    return fixed(run, summary, None, code, near=near)
