"""Validation samples are also trained on, so validation proves nothing.

## What happens
Nothing looks wrong, and that is the trouble: validation is as good as training for as long as you like, there is no
overfitting to be seen, and on new data the model is much worse. Early stopping never stops, and every change seems
to help.

## Why
Validation loss estimates the loss on unseen data only while the samples are unseen. If a share s of them is in the
training set, the figure is s·L_train + (1-s)·L_new: with s = 1 it is the training loss. Usual origins: the same
loader or dataset object used for both; a split made with another seed at each start, so that a resumed run trains
on yesterday's validation set; duplicates in the data; windows of one recording, slices of one patient or augmented
copies of one image on both sides of the split; oversampling before splitting. Near-duplicates leak too, and no hash
shows them: split by the unit that will be new in use (patient, user, document, day).

## Signs
- Hashes of validation samples also occur among the training samples.
- Validation follows training without any gap for very long, in a model large enough to memorise.

## Fix
Split first, once, with a fixed seed, by group; then augment or oversample the training part only.

```python
generator = torch.Generator().manual_seed(0)
train_set, validation_set = torch.utils.data.random_split(dataset, [0.9, 0.1], generator=generator)

groups = sorted(set(patient_ids))
held_out = set(groups[: len(groups) // 10])
train_indices = [i for i, g in enumerate(patient_ids) if g not in held_out]
validation_indices = [i for i, g in enumerate(patient_ids) if g in held_out]
```

## What not to do
- Do not compare with earlier results: those figures were not validation.
- Do not tune on the test set instead.
- Do not repair it by choosing validation samples after training.

## Often confused with
- `target-leakage`: the answer, not the sample, is shared.
- A healthy run: no overlap, and a small gap.
- Evaluation on training samples on purpose, beside a real validation set: fine, if it is called that.

## Verify
No validation sample (or group) occurs in training, and the honest validation figure is worse than before. That is
progress.

## References
- Hastie, Tibshirani, Friedman: The Elements of Statistical Learning (2009), section 7.10.2.
- Kapoor, Narayanan: Leakage and the reproducibility crisis in machine-learning-based science (2023).
"""

from ._fixing import Fix, Run, Signs, fixed, said
from ._known import loader

FAMILY = "data"
MISLEADS = "validation"
SETTLED_BY = ("check",)
TITLE = "Validation data leaked into training"
FOR = {"samples-shared": 6.0}
REQUIRES = ("samples-shared",)

_SPLIT = """\
generator = torch.Generator().manual_seed(0)  # the same split at every start
train_set, validation_set = torch.utils.data.random_split(dataset, [0.9, 0.1], generator=generator)
assert not set(train_set.indices) & set(validation_set.indices)
# where several samples belong to one person, file or day: split those, not the samples
"""


def fix(run: Run, signs: Signs) -> Fix:
    """Split once with a fixed seed."""
    near = loader(run, "eval").site or loader(run, "train").site
    summary = "Split once, with a fixed seed, before anything else is done to the data."
    return fixed(run, summary + said(signs, "samples-shared"), None, _SPLIT, near=near)
