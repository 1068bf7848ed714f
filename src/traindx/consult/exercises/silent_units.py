"""Digits. The loss is 2.3026 from the first step to the last, to four digits.

By hand: a loss that does not even fluctuate means that the output does not depend on the input. Register a
forward hook on each ReLU and print the share of its outputs that are exactly zero:

```
layer.register_forward_hook(lambda m, i, o: print((o == 0).float().mean()))
```

Question: which cause is it?
"""

from __future__ import annotations

from ._base import named_cause, patient

NUMBER = 9
PART = "Activations"
TITLE = "Silent units"
HINTS = (
    "If every ReLU of a layer is off for every sample, which gradient do the weights before it get?",
    "Look at the biases at the start.",
)
SOLUTION = """
The biases start at -4, so every pre-activation is negative and every ReLU is off: output and gradient are
exactly zero, forever. A dead ReLU gets no gradient that could bring it back.

Remember: exactly constant is a different symptom from flat. A flat loss points to the steps, a constant one to
a missing connection.
"""

source = patient("mlp_digits/dead-relus/biases-of-4/0")
judge = named_cause(
    "dead-relus",
    {
        "lr-too-low": (
            "Even a tiny learning rate makes the loss fluctuate from batch to batch. Here the output is a constant."
        ),
        "symmetric-init": "The weights are random; look at the biases.",
        "vanishing-gradients": "The gradient is exactly zero, not small, and after a single layer.",
        "params-not-in-optimizer": "They are in the optimizer. What gradient do they get?",
        "frozen-layers": "requires_grad is True everywhere. The gradient itself is zero.",
    },
)
