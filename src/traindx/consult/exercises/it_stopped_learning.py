"""Digits with Adam. Loss 2.18 at the end, accuracy 35 %, and the curve is almost flat from the second epoch on. A
colleague proposes a larger model.

By hand: print `optimizer.param_groups[0]["lr"]` once per epoch. Then print it once per batch.

Question: which cause is it?
"""

from __future__ import annotations

from ._base import named_cause, patient

NUMBER = 8
PART = "Learning rate"
TITLE = "It stopped learning"
HINTS = (
    "gamma = 0.88 per epoch is a gentle decay. How often is scheduler.step() called?",
    "0.88 to the power of 40 is 0.006.",
)
SOLUTION = """
`scheduler.step()` is in the batch loop: a decay that was meant for once per epoch happens forty times per epoch,
and the learning rate is practically zero after two epochs.

Remember: a plateau with healthy gradients and tiny updates is a schedule until proven otherwise.
"""

source = patient("mlp_digits/lr-decays-too-soon/scheduler-stepped-every-batch/0")
judge = named_cause(
    "lr-decays-too-soon",
    {
        "lr-too-low": "At the end it is. At the start it was right, and then it fell. Why?",
        "model-too-small": "The same model reaches 97 % with one line moved.",
        "undertrained": "More epochs at a learning rate of 1e-12 change nothing.",
        "saturated-activations": "The activations are ReLU, which cannot saturate. What do the steps do?",
    },
)
