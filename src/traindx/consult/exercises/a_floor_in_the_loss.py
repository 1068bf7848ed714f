"""Handwritten digits, a small network. Training loss falls quickly to 1.51 and stays there for the rest of the
run, while validation loss continues down to 0.17 and validation accuracy is 95 %.

By hand: ask two things. Can training loss be so far above validation loss because of dropout? And what is the
lowest value that this training loss could have at all? Print `out.sum(dim=1)` just before the loss is computed,
in training and in validation.

Question: which cause is it?
"""

from __future__ import annotations

from ._base import named_cause, patient

NUMBER = 2
PART = "Why training fails"
TITLE = "A floor in the loss"
HINTS = (
    "Rows that sum to exactly 1 are probabilities. What does CrossEntropyLoss expect?",
    "With 10 classes, what is the cross-entropy of softmax((1, 0, 0, …)) for the first class? Compute ln(e + 9) - 1.",
)
SOLUTION = """
The training line applies softmax before `CrossEntropyLoss`, which applies it again. Probabilities lie between 0
and 1, so a second softmax can never be sure: with ten classes the loss cannot fall below ln(e + 9) - 1 = 1.46.
Validation uses raw scores and shows that the network has learned.

Remember: a plateau at a number that you can compute from the number of classes is a floor built into the loss,
not a limit of the model.
"""

source = patient("mlp_digits/double-softmax/softmax-at-the-call/0")
judge = named_cause(
    "double-softmax",
    {
        "over-regularized": (
            "Dropout of 0.2 makes training loss a little worse than validation loss, not nine times. What enters "
            "the loss?"
        ),
        "lr-decays-too-soon": (
            "The plateau is flat, but at which value? Compute the lowest value that the loss can have for these inputs."
        ),
        "train-val-mismatch": (
            "The data are the same split of the same set. What differs is one line between the model and the loss."
        ),
        "undertrained": "The loss stays at 1.51. As it is computed, it cannot fall below about 1.46.",
    },
)
