"""Labels do not belong to their inputs (shuffled, misaligned, random), so only memorising lowers the loss.

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
A person agrees with most of 20 labels as the loop sees them, and validation passes chance in the first epochs.

## References
- Zhang, Bengio, Hardt, Recht, Vinyals: Understanding deep learning requires rethinking generalization (2017).
- Northcutt, Athalye, Mueller: Pervasive label errors in test sets destabilize machine learning benchmarks (2021).
"""

from ._fixing import Fix, Run, Signs, fixed, raised, said
from ._frameworks import words
from ._known import loader

FAMILY = "data"
SETTLED_BY = ("check",)
TITLE = "Wrong or shuffled labels"
FOR = {
    "validation-at-chance": 3.0, "memorising": 1.5, "generalisation-gap": 0.5, "confident-errors": 3.0,
    "train-above-validation": 1.0, "training-at-chance": 1.0, "loss-stuck": 0.5, "loss-falling-slowly": 0.5,
    "validation-rising": 0.5,
}  # fmt: skip
REQUIRES = ("validation-at-chance", "training-at-chance", "confident-errors")

_LOOK = """\
x, y = next(iter(train_loader))  # exactly what the loop sees
for i in range(min(20, len(x))):
    print(int(y[i]), x[i].float().mean().item(), tuple(x[i].shape))  # better: plot x[i] with its label

order = torch.randperm(len(inputs))
inputs, labels = inputs[order], labels[order]  # one permutation for both
"""


SAME = 2e-3  # of the standard deviation, between the means of the same data seen in other batches


def possible(run: Run) -> bool:
    """Not where the targets are the inputs, as those of an autoencoder: there is no label that could be wrong."""
    inputs, targets = run.training_data, run.training_targets
    if targets.kind not in ("values", "probabilities") or not inputs.shape:
        return True
    mean, other, spread = inputs.mean, targets.mean, targets.std
    alike = (inputs.shape, inputs.min, inputs.max) == (targets.shape, targets.min, targets.max)
    return not (alike and mean is not None and other is not None and abs(mean - other) <= SAME * (spread or 0.0))


def fix(run: Run, signs: Signs) -> Fix:
    """Look at pairs."""
    if raised(signs, "confident-errors"):
        summary = (
            "Read fifty of the training samples whose label disagrees with a confident prediction "
            f"({100 * signs['confident-errors'].value:.0f} % of the most confident predictions)."
        )
    else:
        summary = "Compare inputs with labels where the loop receives them, and shuffle both with one permutation."
        summary += said(signs, "validation-at-chance", "training-at-chance")
    return fixed(run, summary, None, _LOOK, near=loader(run, "train"), words=words("look-at-pairs"))
