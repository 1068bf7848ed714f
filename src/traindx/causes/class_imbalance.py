"""One class dominates, and the model's predictions collapse onto it for every input.

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
- Do not weight and resample together: the correction is then applied twice.
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

import ast

from ..edits import Edits, add_keyword
from ..record.program import LossCall
from ..wording import percent
from ._fixing import Fix, Run, Signs, begin, fixed
from ._known import python_list, training_loss

FAMILY = "data"
TITLE = "Class imbalance: the model predicts the majority class"
FOR = {
    "predictions-collapsed": 2.5, "labels-skewed": 2.0, "training-at-chance": 0.7, "loss-plateau": 0.3,
    "validation-at-chance": 0.5,
}  # fmt: skip
# A skew alone is not a fault: many models cope. Training at chance stands in where predictions are not recorded.
REQUIRES = ("predictions-collapsed", "training-at-chance")

MOST_CLASSES = 32  # more weights than that do not belong in one line of code
_COUNTED = "counts = torch.bincount(labels).clamp(min=1)\nweight = counts.sum() / (len(counts) * counts.float())\n"


def possible(run: Run) -> bool:
    """Not where every target is a quantity; one-hot rows are whole numbers, whatever the loss takes them for."""
    losses = run.training_losses
    values = run.training_targets.kind == "values"
    return not (values and losses and all(call.target.integer_valued is False for call in losses))


def fix(run: Run, _signs: Signs) -> Fix:
    """Class weights from this run's own counts, in the loss that the script uses."""
    loss = training_loss(run, "cross_entropy", "nll")
    counts = {_class_id(key): count for key, count in run.training_targets.histogram.items()}
    counts.pop(None, None)
    total, called = sum(counts.values()), loss.fn
    pattern = _COUNTED + "loss = torch.nn.functional.cross_entropy(logits, labels, weight=weight)\n"
    if len(counts) < 2:
        summary = "Weight the classes in the loss by the inverse of their frequency."
        return fixed(run, summary, None, pattern, near=loss)
    majority = max(counts, key=lambda key: counts[key])
    summary = (
        f"Weight the classes in the loss: {percent(counts[majority] / total)} of the targets seen are class {majority}."
    )
    present = sorted(key for key in counts if key is not None)
    edits = begin(run)
    if "with_logits" in called and len(counts) == 2:
        negatives, positives = (counts[key] for key in present)
        keyword = f"pos_weight=torch.tensor({negatives / positives:.4g})"
        pattern = f"torch.nn.functional.binary_cross_entropy_with_logits(logits, labels, {keyword})"
        _weigh(edits, loss, keyword)
    elif present == list(range(len(present))) and len(present) <= MOST_CLASSES and "binary" not in called:
        keyword = f"weight=torch.tensor({python_list([total / (len(present) * counts[key]) for key in present])})"
        pattern = f"torch.nn.functional.cross_entropy(logits, labels, {keyword})  # total / (classes * count)"
        _weigh(edits, loss, keyword)
    return fixed(run, summary, edits, pattern, near=loss)


def _weigh(edits: Edits, loss: LossCall, keyword: str) -> None:
    """In the constructor of the loss where the script has one, else in each call of the function."""
    made = edits.project.calls("CrossEntropyLoss", "NLLLoss", "BCEWithLogitsLoss")
    if len(made) == 1 and not made[0][1].args:
        source, call = made[0]
        add_keyword(edits, source, call, keyword + (".to(device)" if "device" in source.names else ""))
        return
    for source, call in edits.project.calls_at(loss.site, loss.fn):
        if call.args and isinstance(call.args[0], ast.Name):
            add_keyword(edits, source, call, f"{keyword[:-1]}, device={call.args[0].id}.device)")
        else:
            add_keyword(edits, source, call, keyword)


def _class_id(key: str) -> int | None:
    """JSON turns class ids into strings; what is no number is no class id."""
    try:
        return int(float(key))
    except (ValueError, OverflowError):
        return None
