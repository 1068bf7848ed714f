"""Digits. Training loss falls a little, from 2.30 to 2.20; validation loss *rises*, from 2.31 to 2.38, from the
first epoch on; validation accuracy is 11 %. Wiring, learning rate and schedule have been checked and are fine.

By hand, in this order: (1) Can the loop overfit one batch? Feed the same batch 200 times. (2) Does anything that
is learned carry over? Compare validation accuracy with chance. (3) Take twenty samples exactly as the loop
receives them, and look at each picture with its label.

Question: which cause is it?
"""

from __future__ import annotations

from ._base import named_cause, patient

NUMBER = 12
PART = "Strategy"
TITLE = "Nothing carries over"
HINTS = (
    "One batch can be overfitted: what does that rule out?",
    "Memorising is possible, but nothing generalises. What must be true of the labels?",
)
SOLUTION = """
Images and labels were shuffled with different permutations: no label belongs to its image. The network slowly
memorises the pairs, but nothing carries over.

Remember: overfit one batch, then look at the data as the loop sees them. These two minutes settle more than a
week of tuning.
"""

source = patient("mlp_digits/noisy-labels/labels-shuffled-against-the-inputs/0")
judge = named_cause(
    "noisy-labels",
    {
        "overfitting": (
            "Overfitting begins with learning something that carries over. Here validation never passes chance."
        ),
        "model-too-small": "It easily overfits a batch.",
        "lr-too-low": "One batch is learned in 200 steps: the steps are long enough.",
        "train-val-mismatch": (
            "Possible in principle. But training itself hardly learns, although the model could learn digits in "
            "an epoch. Look at the pairs."
        ),
        "undertrained": "With more epochs it would memorise more, but still nothing would carry over.",
        "lr-too-high": "The loss is smooth, and one batch is learned.",
    },
)
