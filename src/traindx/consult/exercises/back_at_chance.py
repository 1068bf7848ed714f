"""A convolutional network for digits. After the first few steps the loss jumps to 15, returns to 2.30 and stays
there: ten classes, accuracy 10 %.

By hand: what is ln(10)? Print the ratio of the update to the weight, `(p - before).norm() / before.norm()`, for
the first five steps. Look at the line that creates the optimizer, including its momentum.

Question: which cause is it?
"""

from __future__ import annotations

from ._base import named_cause, patient

NUMBER = 7
PART = "Learning rate"
TITLE = "Back at chance"
HINTS = (
    "With momentum μ the effective step is lr / (1 - μ).",
    "A ratio of 0.3 replaces the weights every three steps.",
)
SOLUTION = """
SGD with lr = 2.1 and momentum 0.9 has an effective learning rate of 21; about 0.1 is usual. The first steps
change the weights by 30 % of their size, the ReLUs end up off, and the output is constant: chance.

Remember: the state at the end (dead units, chance) is a consequence. Read the first steps.
"""

source = patient("cnn_plain_digits/lr-too-high/sgd-with-a-rate-of-2/0")
judge = named_cause(
    "lr-too-high",
    {
        "dead-relus": "Many units may be dead by now. What killed them? Look at the first ten steps.",
        "no-warmup": "A warmup would still end at an effective learning rate of 21.",
        "exploding-gradients": (
            "There is one jump in the first steps, right after updates of 30 % of the weights. Which came first, the "
            "large gradient or the long step?"
        ),
        "wrong-loss": "Cross-entropy on class ids is right, and 2.30 is where it starts for ten classes.",
        "init-too-large": "The first loss is 2.35, close to chance: the start is fine.",
    },
)
