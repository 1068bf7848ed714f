"""Constant initial weights make all units of a layer compute the same thing, and training keeps them equal.

## What happens
The loss falls a little, then stays on a plateau, at any learning rate and any width: a layer of 512 equal units can
do no more than one unit. With all-zero weights in two consecutive layers nothing changes but the last bias.

## Why
Let all rows of W₁ be equal and all columns of W₂ be equal. Then all hidden units have the same value h, and the
gradient of row i, dL/dW₁[i] = (W₂ᵀδ)[i] · f′(h) · xᵀ, is the same for every i. Equal weights with equal gradients
stay equal under SGD, momentum and Adam alike: the symmetry is never broken. Random initialisation exists to break
it. With W₂ = 0 the error sent back, W₂ᵀδ, is zero and the layer below has no gradient at all; with W₁ = 0 the
activations are zero and W₂ has none. Dropout breaks the symmetry a little, by chance, and so slowly that the run
still looks stuck.

Not every zero is a fault. Biases, norm offsets and LoRA's second matrix start at zero on purpose, and so may the
*last* layer of a network or of a residual branch, as long as the layer below is random: its own gradient is not
zero.

## Signs
- Rows of a hidden weight matrix are identical at the start, and still are later.
- Activations of the layer are equal across units; the rank of the layer is one.

## Fix
Use random weights by fan-in, and keep constants for biases only:

```python
for module in model.modules():
    if isinstance(module, (torch.nn.Linear, torch.nn.Conv2d)):
        torch.nn.init.kaiming_normal_(module.weight, nonlinearity="relu")
        if module.bias is not None:
            torch.nn.init.zeros_(module.bias)
```

## What not to do
- Do not make the model larger: equal units stay equal at any width.
- Do not tune the learning rate or the optimizer: none of them can tell equal units apart.
- Do not add noise to the inputs: all equal units receive the same noise.

## Often confused with
- `model-too-small`: the plateau looks the same; here the rows of the weights are equal.
- `init-too-small`: weights tiny but different, and the loss leaves the plateau in the end.
- `detached-graph`: zero gradient because the graph is cut, not because weights are zero.

## Verify
Rows of the weight matrices differ at step 0, and the loss passes below the former plateau.

## References
- Goodfellow, Bengio, Courville: Deep Learning (2016), section 8.4, on breaking symmetry between units.
- PyTorch documentation: torch.nn.init.
"""

from ._fixing import Fix, Run, Signs, said
from ._layers import initialised

FAMILY = "signal"
TITLE = "Constant initial weights (symmetry not broken)"
FOR = {
    "rows-identical": 5.5, "output-ignores-input": 1.0, "one-batch-not-learnt": 0.7, "loss-stuck": 0.7,
    "loss-plateau": 0.7, "training-at-chance": 0.5, "params-zero-gradient": 0.5, "gradients-zero": 0.5,
}  # fmt: skip
REQUIRES = ("rows-identical",)
EXPLAINS = ("detached-graph",)


def fix(run: Run, signs: Signs) -> Fix:
    """Random weights by fan-in; names the layers that start constant."""
    return initialised(run, f"Initialise the weights randomly, by fan-in.{said(signs, 'rows-identical')}")
