"""The tumour data with tanh units. Accuracy is 63 %, the share of the most common class. Most elements of the first
layers' gradients are zero.

By hand: print the mean of `abs(output)` of each tanh, and the share above 0.97. Then do the same for its inputs:
how large are they?

Question: which cause is it?
"""

from __future__ import annotations

from ._base import named_cause, patient

NUMBER = 10
PART = "Activations"
TITLE = "At the rails"
HINTS = (
    "tanh(3) = 0.995, and its derivative there is 0.01. What is it at 12?",
    "Are the inputs large because of the data, the weights or the biases?",
)
SOLUTION = """
The biases are 12, so every tanh is at +1 whatever the input: no information goes forward, no gradient comes
back. The cause is the saturation; its origin (biases, unscaled inputs, weights) decides the fix.

Remember: look at pre-activations. Beyond ±3, a sigmoid or tanh lets hardly any gradient through.
"""

source = patient("tabular_cancer/saturated-activations/biases-of-twelve/0")
judge = named_cause(
    "saturated-activations",
    {
        "vanishing-gradients": "The gradient is lost, but within two layers. Look at the output of each unit.",
        "unscaled-inputs": "The inputs are standardised. What is added to them inside the layer?",
        "init-too-large": (
            "Close. The weights are ordinary; the biases are not, and the effect has a name of its own."
        ),
        "dead-relus": (
            "There is no ReLU here, but you are close: units with a bounded activation can be off in another way."
        ),
    },
)
