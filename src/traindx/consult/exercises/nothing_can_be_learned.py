"""Digits. Training loss falls a little, from 2.30 to 2.20; validation loss *rises*, from 2.31 to 2.38, from the
first epoch on; validation accuracy is 11 %. Wiring, learning rate and schedule have been checked and are fine.

By hand, in this order: (1) Can the loop overfit one batch? Feed the same batch 200 times. (2) Is anything
learned that carries over? Look at validation accuracy against chance. (3) Take twenty samples exactly as the
loop receives them, and look at each picture beside its label.

Question: which cause is it?
"""

from __future__ import annotations

from ._base import named_cause, patient

NUMBER = 12
PART = "Strategy"
TITLE = "Nothing carries over"
HINTS = (
    "One batch can be overfitted: what does that rule out?",
    "Memorising is possible, generalising is not even slightly. What must be true of the labels?",
)
SOLUTION = """
Images and labels were shuffled with different permutations: no label belongs to its image. What can be
memorised is memorised, slowly; nothing carries over.

Remember: overfit one batch, then look at the data as the loop sees them. Two minutes that settle more than a
week of tuning.
"""

source = patient("mlp_digits/noisy-labels/labels-shuffled-against-the-inputs/0")
judge = named_cause(
    "noisy-labels",
    {
        "overfitting": (
            "Overfitting begins with learning something that carries over. Here validation never passes chance."
        ),
        "model-too-small": "It overfits a batch with ease.",
        "lr-too-low": "One batch is learned in 200 steps: the steps are long enough.",
        "train-val-mismatch": (
            "Possible in principle. But training itself hardly learns, although the model could learn digits in "
            "an epoch. Look at the pairs."
        ),
        "undertrained": "More epochs would memorise more, and carry nothing over.",
        "lr-too-high": "The loss is smooth. And one batch is learned.",
    },
)
