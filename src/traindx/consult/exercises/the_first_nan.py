"""The loss is NaN from the very first step, and stays NaN. Somebody suggests a lower learning rate, somebody else
gradient clipping.

By hand: before any advice, find the first value that is not finite. Print `torch.isfinite(t).all()` for the
input, the output of the model, and each intermediate result of the loss, at step 0.
`torch.autograd.set_detect_anomaly(True)` names the backward operation; the forward one is yours to find.

Question: which cause is it?
"""

from __future__ import annotations

from ._base import named_cause, patient

NUMBER = 4
PART = "Loss curves"
TITLE = "The first NaN"
HINTS = (
    "The first NaN appears before the first step. Which advice does that rule out?",
    "One-hot targets contain zeros. What is 0 · log(0)?",
)
SOLUTION = """
The loss is a divergence written by hand: target · log(target / prediction) with one-hot targets. For the nine
zeros of each target that is 0 · log(0) = 0 · (-inf) = NaN. Use `cross_entropy`, or `torch.special.xlogy`, which
defines 0 · log(0) as 0.

Remember: the step of the first NaN decides. At step 0 it is the data or an operation; after some steps it may
be the learning rate.
"""

source = patient("mlp_digits/unstable-math/divergence-from-one-hot-targets-by-hand/0")
judge = named_cause(
    "unstable-math",
    {
        "lr-too-high": "The loss is NaN before the first update: no learning rate has acted yet.",
        "exploding-gradients": "The loss is NaN in the first forward pass, before there is any gradient.",
        "nonfinite-data": "Check: inputs and labels are all finite. The first NaN is made by an operation.",
        "low-precision": "Everything is float32. Which operation gives NaN for a value of exactly zero?",
        "init-too-large": "The outputs of the model are ordinary numbers. Follow them into the loss.",
    },
)
