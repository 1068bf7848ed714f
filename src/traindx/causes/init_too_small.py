"""Initial weights are so small that neither signal nor gradient survives the depth of the model.

## What happens
At step 0 the activations shrink layer by layer until the outputs hardly depend on the input. The loss stays at
chance, gradients of the first layers are tiny, and nothing moves for thousands of steps, sometimes for ever.

## Why
For z = Wx with independent weights of variance s² and n inputs, Var(z) = n·s²·E[x²]. The signal keeps its size
through a linear layer if s = 1/√n, through ReLU (which keeps half of the power) if s = √(2/n). With s = c/√n the
activations after L layers are c^L of the input: at c = 0.1 ten layers leave 1e-10. The gradient runs back through
the same matrices and shrinks in the same way, and the gradient of a layer is the product of a tiny activation and a
tiny error signal. Two layers with std 0.01 learn slowly but do learn; ten do not. Normalisation layers undo most of
it, since they rescale the signal. PyTorch's default for Linear and Conv layers, uniform in ±1/√n, has std 1/√(3n) =
0.58/√n.

## Signs
- Weight std at the start far below 1/√fan_in in the hidden layers.
- Activation variance falls geometrically with depth at step 0.
- The first loss is at chance exactly: all outputs are equal.

## Fix
Initialise by fan-in, with the gain that belongs to the activation:

```python
for module in model.modules():
    if isinstance(module, (torch.nn.Linear, torch.nn.Conv2d)):
        torch.nn.init.kaiming_normal_(module.weight, nonlinearity="relu")  # std = sqrt(2 / fan_in)
        if module.bias is not None:
            torch.nn.init.zeros_(module.bias)
```

A *last* layer that starts small or at zero is no fault: it makes the first prediction neutral.

## What not to do
- Do not raise the learning rate: it has to rise by orders of magnitude, and is far too high as soon as the weights
  grow.
- Do not swap the optimizer: Adam hides shallow cases by rescaling the gradient, and fails with more depth.

## Often confused with
- `vanishing-gradients`: weights have the default size and the depth or the sigmoid is at fault.
- `symmetric-init`: weights are constant, not merely small.
- `weight-decay-too-strong`: weights start well and shrink during training.
- `lr-too-low`: activations and gradients are healthy at step 0.

## Verify
At step 0 the activation std of neighbouring layers differs by less than a factor of two, and the loss leaves chance
within the first few hundred steps.

## References
- He, Zhang, Ren, Sun: Delving deep into rectifiers (2015).
- Glorot, Bengio: Understanding the difficulty of training deep feedforward neural networks (2010).
- PyTorch documentation: torch.nn.init.
"""

from ._fixing import Fix, Run, Signs
from ._layers import initialised, measured_scale

FAMILY = "signal"
SETTLED_BY = ("check",)
TITLE = "Initial weights too small"
FOR = {
    "init-scale-small": 4.5, "activation-variance-shrinks": 2.0, "gradients-vanish-with-depth": 1.0,
    "output-ignores-input": 1.0, "one-batch-not-learnt": 0.7, "loss-stuck": 1.0, "training-at-chance": 0.5,
    "gradients-zero": 0.7, "weights-growing": 0.3,
}  # fmt: skip
REQUIRES = ("init-scale-small",)


def fix(run: Run, _signs: Signs) -> Fix:
    """Initialise by fan-in; names the layer that is furthest below."""
    return initialised(run, f"Initialise the layers by their fan-in.{measured_scale(run, smallest=True)}")
