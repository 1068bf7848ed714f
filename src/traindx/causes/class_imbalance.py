"""One class dominates, and the model predicts it for every input.

## What happens

Accuracy is high from the first epoch and equals the share of the most frequent class: 95 % when 95 % of the samples
are negative. The loss falls quickly to the entropy of the label distribution and stays. The rare class is never
predicted.

## Why

The mean loss weights classes by their frequency. With a share π of positives the best constant answer is p = π, and
its cross-entropy is H(π) = -π log π - (1-π) log(1-π): 0.20 at π = 0.05, against 0.69 at one half. Most of what a
fresh model can gain is gained by learning π alone, through the last bias; then the gradients of the many easy
majority samples outweigh those of the few minority ones, and with a batch of 32 at π = 0.01 most batches hold no
positive at all. A threshold at 0.5 never says yes as long as p(x) stays below it, even when the ranking is useful.
So not every such model is sick: look at ranking (average precision) before changing the loss.

Weights w_c = N / (C·n_c) make all classes count equally. They change what is estimated: outputs are no longer
calibrated probabilities for the true frequencies.

## Signs

- Target histogram heavily skewed.
- Predictions collapse onto the majority class; accuracy equals its share.

## Fix

Weight the classes, or sample them evenly, and judge by a measure that sees the rare class:

```python
counts = torch.bincount(labels)
weight = counts.sum() / (len(counts) * counts.float())
loss = torch.nn.functional.cross_entropy(logits, labels, weight=weight)

sampler = torch.utils.data.WeightedRandomSampler(weight[labels], num_samples=len(labels))
```

Binary: `pos_weight = negatives / positives` in `binary_cross_entropy_with_logits`.

## What not to do

- Do not report accuracy: use balanced accuracy, F1 or average precision.
- Do not weight *and* resample: the correction is then applied twice.
- Do not weight by 1/n for classes of a handful of samples without a cap: single samples then rule the gradient.

## Often confused with

- `noisy-labels`: also at the entropy of the labels, but classes are even.
- `unshuffled-data`: predictions collapse onto the class of the last batches, which changes.
- `weight-decay-too-strong`, `lr-too-high`: collapse to a constant as well, on balanced classes.

## Verify

Recall of the rare class is above zero and rises, and balanced accuracy is above 1/classes.

## References

- He, Garcia: Learning from imbalanced data (2009).
- Lin, Goyal, Girshick, He, Dollár: Focal loss for dense object detection (2017).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..edits import Edits
from ..edits.arguments import add_keyword
from ..record import Run
from ..record.site import site_of
from ..record.values import mapping, number
from ..signs import Signs
from ..wording import percent
from ._base import Fix
from ._facts import python_list, training_loss
from ._fixing import begin, fixed

ID = "class-imbalance"
FAMILY = "data"
TITLE = "Class imbalance: the model predicts the majority class"
MEANS = "The classes are heavily skewed and the model's predictions collapse onto the most frequent one."
FOR = {
    "predictions-collapsed": 2.5,
    "labels-skewed": 2.0,
    "training-at-chance": 0.7,
    "loss-plateau": 0.3,
    "validation-at-chance": 0.5,
}
AGAINST = {
    "targets-follow-inputs": 3.0,
    "batches-single-class": 2.0,
    "update-ratio-high": 0.7,
    "loss-oscillating": 0.5,
    "decay-dominates": 1.5,
    "rows-identical": 2.0,
    "gradients-zero": 1.0,
    "dead-units": 1.0,
    "params-outside-optimizer": 1.5,
    "loss-at-floor": 1.5,
    "loss-inputs-are-probabilities": 1.0,
    "validation-learned": 2.0,
    "training-learned": 2.0,
    "rate-above-usual": 0.7,
    "weak-signal-ranked": 3.0,
}
# A skew alone is not a fault: many models cope. Training at chance stands in where predictions are not recorded.
REQUIRES = ("predictions-collapsed", "training-at-chance")
EXPLAINS = ("model-too-small", "noisy-labels", "undertrained")
AVOID = (
    "Do not report accuracy: use balanced accuracy, F1 or average precision.",
    "Do not weight and resample together: the correction is then applied twice.",
)
VERIFY = "Recall of the rare class is above zero and rises, and balanced accuracy is above 1/classes."
REFERENCE = "He & Garcia, Learning from imbalanced data, 2009"

MOST_CLASSES = 32  # more weights than that do not belong in one line of code
_COUNTED = "counts = torch.bincount(labels).clamp(min=1)\nweight = counts.sum() / (len(counts) * counts.float())\n"


def fix(run: Run, _signs: Signs) -> Fix:
    """Class weights from this run's own counts, in the loss that the script uses."""
    loss = training_loss(run, "cross_entropy", "nll")
    histogram = mapping(run.fact("targets/train").get("histogram"))
    counts = {_class_id(key): count for key in histogram if (count := number(histogram.get(key)))}
    counts.pop(None, None)
    total = sum(counts.values())
    pattern = _COUNTED + "loss = torch.nn.functional.cross_entropy(logits, labels, weight=weight)\n"
    if len(counts) < 2:
        summary = "Weight the classes in the loss by the inverse of their frequency."
        return fixed(run, summary, None, pattern, near=site_of(loss))
    majority = max(counts, key=lambda key: counts[key])
    summary = (
        f"Weight the classes in the loss: {percent(counts[majority] / total)} of the targets seen are class {majority}."
    )
    present = sorted(key for key in counts if key is not None)
    name = value = ""
    if "with_logits" in str(loss.get("fn")) and len(counts) == 2:
        negatives, positives = (counts[key] for key in present)
        name, value = "pos_weight", f"torch.tensor({negatives / positives:.4g})"
        pattern = f"torch.nn.functional.binary_cross_entropy_with_logits(logits, labels, {name}={value})"
    elif present == list(range(len(present))) and len(present) <= MOST_CLASSES and "binary" not in str(loss.get("fn")):
        weights = [total / (len(present) * counts[key]) for key in present]
        name, value = "weight", f"torch.tensor({python_list(weights)})"
        pattern = f"torch.nn.functional.cross_entropy(logits, labels, {name}={value})  # total / (classes * count)"
    edits = begin(run)
    if edits is not None and name:
        _weigh(edits, loss, f"{name}={value}")
    return fixed(run, summary, edits, pattern, near=site_of(loss))


def _weigh(edits: Edits, loss: Mapping[str, Any], keyword: str) -> None:
    """In the constructor of the loss where the script has one, else in each call of the function."""
    made = edits.project.calls("CrossEntropyLoss", "NLLLoss", "BCEWithLogitsLoss")
    if len(made) == 1 and not made[0][1].args:
        add_keyword(edits, *made[0], keyword)
        return
    for source, call in edits.project.calls_at(loss.get("site"), str(loss.get("fn"))):
        add_keyword(edits, source, call, keyword)


def _class_id(key: object) -> int | None:
    """JSON turns class ids into strings; what is no number is no class id."""
    try:
        return int(float(str(key)))
    except (ValueError, OverflowError):
        return None
