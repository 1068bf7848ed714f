"""A residual network of ten blocks learns a table of made-up features. It runs without a warning, the loss falls
from 1.2 to 0.6 and validation accuracy reaches 81 %. A colleague's copy of the script reaches 92 %.

By hand: the whole network produces the loss, but does the whole network learn? After `backward()` and one
`step()`, compare each weight with a copy from before:

```
before = {name: p.detach().clone() for name, p in model.named_parameters()}
...one step...
for name, p in model.named_parameters():
    print(name, (p - before[name]).norm() / before[name].norm())
```

Count the names that it prints. Then count the layers in the source.

Question: which cause is it?
"""

from __future__ import annotations

from ._base import named_cause, patient

NUMBER = 1
PART = "Why training fails"
TITLE = "It runs, and learns a little"
HINTS = (
    "How many weight tensors should ten blocks have, and how many does model.named_parameters() list?",
    "Look at the line that makes self.blocks. What does nn.Module need in order to see a submodule?",
)
SOLUTION = """
`self.blocks` is a plain Python list, so `model.parameters()` does not contain the ten blocks, and the optimizer
never gets them: 60 of 66 trainable tensors stay as they were initialised. Their gradients are computed but never
used. `nn.ModuleList` registers them.

Remember: a network with random, fixed middle layers still learns something. "It learns a little" does not show
that everything is wired correctly. Counting the weights that move does.
"""

source = patient("resnet_tabular/params-not-in-optimizer/blocks-in-a-python-list/0")
judge = named_cause(
    "params-not-in-optimizer",
    {
        "frozen-layers": (
            "Close: some weights never move. But their requires_grad is True; nobody froze them. Who should have "
            "been told about them?"
        ),
        "model-too-small": "The model is as large as the one that reaches 92 %. Does all of it learn?",
        "undertrained": (
            "The loss is nearly flat at the end: more epochs would gain little. Which weights have not moved at all?"
        ),
        "lr-too-low": "The update-to-weight ratio of the weights that move is ordinary. Look at those that do not.",
    },
)
