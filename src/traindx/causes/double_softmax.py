"""The loss applies softmax or sigmoid itself and is given probabilities instead of raw scores.

## What happens
The model learns, but slowly, and the loss stops at a floor well above zero: 1.46 for ten classes even when every
answer is right. Accuracy may look decent. Nothing crashes, which is why this fault goes unnoticed.

## Why
`cross_entropy` computes -log softmax(z)[y] from scores z that may be any real numbers. If z is already a
probability vector, the scores lie in [0, 1] and differ by at most 1. The best possible input is the one-hot vector
of the right class, and then

    loss = -log( e¹ / (e¹ + (C-1)·e⁰) ) = log(1 + (C-1)/e)

which is 0.31 for C = 2, 1.46 for 10, 3.62 for 100 and 5.91 for 1000: a hard floor. The gradient suffers twice: the
outer softmax is never certain, and the inner one multiplies by p(1-p), which goes to zero exactly when the model
becomes sure. For `binary_cross_entropy_with_logits` after a sigmoid the second sigmoid sees [0, 1] and gives 0.5 to
0.73: a negative costs at least ln 2 = 0.69, a positive at least 0.31. `log_softmax` followed by `cross_entropy` is
harmless to the value, since log_softmax of log-probabilities returns them, only wasteful.

## Signs
- The input of cross_entropy lies in [0, 1] and each row sums to 1; the input of bce_with_logits lies in [0, 1].
- A softmax or sigmoid stands directly in front of the loss in the graph.
- The loss settles at the floor above.

## Fix
Return raw scores from the model; make probabilities only where they are reported.

```python
logits = model(x)  # no softmax at the end of the model
loss = torch.nn.functional.cross_entropy(logits, y)
probabilities = logits.detach().softmax(dim=-1)  # for reporting
```

## What not to do
- Do not train longer or raise the learning rate: the lowest possible loss stays the same.
- Do not take the log of the softmax by hand: log(0) is -inf; use raw scores.
- Do not remove the softmax and go on with old thresholds on the outputs: apply it where you read them.

## Often confused with
- `model-too-small`, `lr-too-low`: a plateau too, but not at log(1 + (C-1)/e).
- `softmax-wrong-axis`: columns, not rows, sum to one.
- `wrong-loss`: nll_loss given probabilities falls below zero.

## Verify
Rows that enter the loss no longer sum to 1, and the loss passes below its former floor.

## References
- PyTorch documentation: torch.nn.CrossEntropyLoss and torch.nn.BCEWithLogitsLoss (both expect unnormalised logits).
- Goodfellow, Bengio, Courville: Deep Learning (2016), section 6.2.2.3.
"""

import math

from ..record.program import LossCall
from ..wording import num
from ._fixing import Fix, Run, Signs, begin, fixed
from ._frameworks import framework, set_from_logits
from ._known import training_loss
from ._layers import remove_output_activation

FAMILY = "loss"
TITLE = "Softmax applied before CrossEntropyLoss"
FOR = {
    "loss-inputs-are-probabilities": 6.0, "loss-plateau": 0.7, "one-batch-not-learnt": 0.7, "loss-stuck": 0.3,
    "loss-falling-slowly": 0.5,
}  # fmt: skip
REQUIRES = ("loss-inputs-are-probabilities",)

_KERAS_PATTERN = "loss = keras.losses.SparseCategoricalCrossentropy(from_logits=False)  # or BinaryCrossentropy"
_PATTERN = (
    "return logits  # what your last layer gives, without {name}: the loss applies it; logits.{call} only to report"
)


def fix(run: Run, _signs: Signs) -> Fix:
    """Remove the activation in front of the loss; gives the floor for this number of classes."""
    loss = _given_probabilities(run)
    made = loss.input.grad_fn.lower()
    itself = "it"
    if "with_logits" in loss.fn:
        name, call = "sigmoid", "sigmoid()"
        floor = "a negative costs at least ln 2 = 0.693, a positive at least 0.313"
    else:
        name, call = ("sigmoid" if "sigmoid" in made else "softmax"), "softmax(dim=1)"
        itself = "softmax" if name == "sigmoid" else "it"
        classes = (*(loss.input.shape or ()), 0, 0)[1]
        floor = "the loss cannot fall below log(1 + (classes - 1)/e)"
        if classes:
            floor = f"with {classes} classes the loss cannot fall below {num(math.log(1 + (classes - 1) / math.e))}"
    edits = begin(run)
    if framework(run) == "keras":
        set_from_logits(edits, False)
        summary = f"Tell the loss that it gets probabilities, since the model ends in a {name}: {floor}."
        return fixed(run, summary, edits, _KERAS_PATTERN, near=loss)
    remove_output_activation(run, edits, name)
    summary = f"Remove the {name} in front of the loss, which applies {itself} itself: {floor}."
    return fixed(run, summary, edits, _PATTERN.format(name=name, call=call), near=loss)


def _given_probabilities(run: Run) -> LossCall:
    """The loss call in training whose input lies between 0 and 1; else any cross-entropy."""
    for loss in run.training_losses:
        low, high = loss.input.min, loss.input.max
        if low is not None and high is not None and low >= 0 and high <= 1.001:
            return loss
    return training_loss(run, "cross_entropy")
