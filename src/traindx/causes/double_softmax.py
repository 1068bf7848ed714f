"""Probabilities go into a loss that applies softmax or sigmoid itself.

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

- Do not raise the learning rate or train longer: the floor is arithmetic.
- Do not switch to `nll_loss(softmax.log())`: correct in theory, but log(0) = -inf; use log_softmax.
- Do not remove the softmax and go on with old thresholds on the outputs: apply it where you read them.

## Often confused with

- `model-too-small`, `lr-too-low`: a plateau too, but not at log(1 + (C-1)/e).
- `softmax-wrong-axis`: columns, not rows, sum to one.
- `wrong-loss`: nll_loss given probabilities falls below zero.

## Verify

Rows that enter the loss no longer sum to 1, and the loss passes below the floor.

## References

- PyTorch documentation: torch.nn.CrossEntropyLoss and torch.nn.BCEWithLogitsLoss (both expect unnormalised logits).
- Goodfellow, Bengio, Courville: Deep Learning (2016), section 6.2.2.3.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from ..record import Run
from ..record.site import site_of
from ..record.values import mapping, number
from ..signs import Signs
from ..wording import num
from ._architecture import remove_output_activation
from ._base import Fix
from ._facts import shape, training_loss
from ._fixing import begin, fixed

ID = "double-softmax"
FAMILY = "loss"
TITLE = "Softmax applied before CrossEntropyLoss"
MEANS = "The loss applies softmax or sigmoid itself and is given probabilities instead of raw scores."
FOR = {
    "loss-inputs-are-probabilities": 6.0,
    "loss-plateau": 0.7,
    "one-batch-not-learnt": 0.7,
    "loss-stuck": 0.3,
    "loss-falling-slowly": 0.5,
}
AGAINST = {"softmax-over-batch": 2.0, "loss-not-finite": 1.0, "loss-negative-unbounded": 3.0}
REQUIRES = ("loss-inputs-are-probabilities",)
EXPLAINS = (
    "model-too-small",
    "lr-too-low",
    "undertrained",
    "vanishing-gradients",
    "saturated-activations",
    "no-momentum",
)
AVOID = (
    "Do not train longer or raise the learning rate: the lowest possible loss stays the same.",
    "Do not take the log of the softmax by hand: log(0) is -inf; use raw scores.",
)
VERIFY = "Rows that enter the loss no longer sum to 1, and the loss passes below its former floor."
REFERENCE = "PyTorch documentation, torch.nn.CrossEntropyLoss and torch.nn.BCEWithLogitsLoss"

_PATTERN = "return self.head(x)  # no {name} here: the loss applies it; use outputs.{call} only for reporting"


def fix(run: Run, _signs: Signs) -> Fix:
    """Remove the activation in front of the loss; gives the floor for this number of classes."""
    loss = _given_probabilities(run)
    if "with_logits" in str(loss.get("fn")):
        name, call = "sigmoid", "sigmoid()"
        floor = "a negative costs at least ln 2 = 0.693, a positive at least 0.313"
    else:
        name, call = _activation(loss), "softmax(dim=1)"
        sizes = shape(mapping(loss.get("input")))
        floor = "the loss cannot fall below log(1 + (classes - 1)/e)"
        if len(sizes) > 1:
            lowest = math.log(1 + (sizes[1] - 1) / math.e)
            floor = f"with {sizes[1]} classes the loss cannot fall below {num(lowest)}"
    edits = begin(run)
    if edits is not None:
        remove_output_activation(edits, name)
    itself = "softmax" if name == "sigmoid" and call.startswith("softmax") else "it"
    summary = f"Remove the {name} in front of the loss, which applies {itself} itself: {floor}."
    return fixed(run, summary, edits, _PATTERN.format(name=name, call=call), near=site_of(loss))


def _activation(loss: Mapping[str, Any]) -> str:
    made = str(mapping(loss.get("input")).get("grad_fn") or "").lower()
    return "sigmoid" if "sigmoid" in made else "softmax"


def _given_probabilities(run: Run) -> Mapping[str, Any]:
    """The loss call in training whose input lies between 0 and 1; else any cross-entropy."""
    for loss in run.entries("losses"):
        given = mapping(loss.get("input"))
        low, high = number(given.get("min")), number(given.get("max"))
        inside = low is not None and high is not None and low >= 0 and high <= 1.001
        if loss.get("phase", "train") == "train" and inside:
            return loss
    return training_loss(run, "cross_entropy")
