"""A convolutional network with batch norm and strong dropout. Training loss (0.065) stays above validation loss
(0.039) during the whole run, and somebody has opened a ticket: "validation better than training, there must be
a leak".

By hand: evaluate the training set in eval mode, with dropout off. Check whether any validation image is in the
training set. Compare the first loss with ln(10).

Question: which cause is it? (Write `healthy` if you think that nothing is wrong.)
"""

from __future__ import annotations

from ._base import named_cause, patient

NUMBER = 11
PART = "Strategy"
TITLE = "A ticket"
HINTS = (
    "Training loss is measured with dropout on, validation loss with it off.",
    "What would have to be true for a leak? Measure that, and nothing else.",
)
SOLUTION = """
Nothing is wrong. Dropout makes training loss worse while it is on. Without dropout, the training set's loss is
lower than the validation set's, as it should be.

Remember: "healthy" is an answer, and an odd-looking curve is not a symptom until a measurement says so. One
false alarm costs as much as ten misses.
"""

source = patient("cnn_bn_digits/healthy/strong-dropout-gap/0")
judge = named_cause(
    "healthy",
    {
        "leaked-validation": "Check it: no image of the validation set is in the training set.",
        "eval-mode-missing": (
            "If evaluation ran in train mode, validation would suffer from dropout too. It does not."
        ),
        "train-val-mismatch": "The two sets are random halves of one.",
        "over-regularized": "Validation accuracy is 99 %. Less dropout would close the gap but gain nothing.",
        "overfitting": "Validation is better than training: the opposite.",
    },
)
