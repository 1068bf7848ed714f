"""Digits again. Validation accuracy goes from 54 % to 46 % and 36 % over the first three epochs before it climbs to
92 %; a colleague's copy of the script reaches 97 %.

By hand: print the norm of the gradient (all weights together) at each step of the first two epochs:

```
norm = sum(p.grad.square().sum() for p in model.parameters()).sqrt()
```

How does it change within an epoch, and what happens when a new epoch begins?

Question: which cause is it?
"""

from __future__ import annotations

from ._base import named_cause, patient

NUMBER = 5
PART = "Gradient statistics"
TITLE = "A norm that grows"
HINTS = (
    "The norm grows with each step of an epoch and is small again at the next one. What is done once per epoch?",
    "Compare the cosine between successive gradients: sums of many gradients hardly change direction.",
)
SOLUTION = """
`zero_grad()` is in the epoch loop instead of the batch loop: each step uses the sum of all gradients since the
epoch began. Direction and length are both wrong.

Remember: lowering the learning rate would have hidden it. A norm that grows steadily from step to step and then
starts again is a sum.
"""

source = patient("mlp_digits/missing-zero-grad/cleared-once-an-epoch/0")
judge = named_cause(
    "missing-zero-grad",
    {
        "lr-too-high": (
            "It looks like it: the steps are too long. But why does the norm grow during each epoch and then start "
            "again?"
        ),
        "exploding-gradients": (
            "Exploding gradients are rare jumps among ordinary norms. This is a steady growth with a reset."
        ),
        "no-warmup": "Only the first epoch would be affected. Here every epoch repeats the pattern.",
        "unscaled-accumulation": (
            "Accumulation sums a fixed number of batches and then steps. Here each batch is followed by a step. "
            "What is not cleared?"
        ),
    },
)
