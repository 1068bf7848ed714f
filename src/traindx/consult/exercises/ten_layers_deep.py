"""A deeper network for the tumour data: ten sigmoid layers. Loss and accuracy stay where they were at the start:
63 %, the share of the most common class. The learning rate has been varied by hand from 1e-4 to 1e-1, without
effect.

By hand: after one `backward()`, print the gradient norm of each layer's weight, from the last layer to the
first. By which factor does it change from layer to layer?

Question: which cause is it?
"""

from __future__ import annotations

from ._base import named_cause, patient

NUMBER = 6
PART = "Gradient statistics"
TITLE = "Ten layers deep"
HINTS = (
    "The derivative of the sigmoid is at most 1/4.",
    "A factor of 0.16 per layer leaves 1e-8 after ten layers. Which learning rate would be right for both ends?",
)
SOLUTION = """
Each layer scales the gradient by about 0.16, so the first layer gets about 1e-8 of what the last one gets. ReLU
with normalisation, or skip connections, keep the factor near one.

Remember: compare layers with each other, not a norm with a table. Exponential change with depth is the
signature.
"""

source = patient("tabular_cancer/vanishing-gradients/ten-sigmoid-layers/0")
judge = named_cause(
    "vanishing-gradients",
    {
        "lr-too-low": (
            "For the last layer the learning rate is right, for the first it would have to be 10,000,000 times as "
            "high. No single number fits."
        ),
        "saturated-activations": (
            "Look at the pre-activations: they are near zero, where the sigmoid is steepest, and even there it "
            "passes only a quarter."
        ),
        "dead-relus": "There is no ReLU in this model.",
        "params-not-in-optimizer": "All weights are in the optimizer. Their gradients are the problem.",
        "frozen-layers": "All weights require gradients and get one. How large is it?",
    },
)
