"""Initial weights are so large that activations and the first loss are far out of range.

## What happens
The first loss is many times what guessing would give: 40 instead of 2.3 for ten classes. Gradients are huge from
step 0. The first steps either throw the weights about (spikes, NaN) or are spent shrinking them. With tanh or
sigmoid the units saturate at once and learning stops.

## Why
With weight std c/√n a layer multiplies the signal by c, and L layers by c^L: at c = 4, ten layers make a factor of
a million. Logits of size z ≫ 1 make softmax certain of a random class, so the cross-entropy starts near the size of
the logits, not at ln(classes). The gradient is the product of the same matrices and is as large. `torch.randn(n,
m)` as a weight has std 1, that is √n times too much: 16 times for 256 inputs. `torch.nn.Embedding` has std 1 by
default; it is a table, not a matrix product, but tied to the output layer of width d it produces logits of size √d.

## Signs
- Weight std at step 0 several times 1/√fan_in.
- The first loss is far above chance; activation variance grows with depth at step 0.
- Gradients are large from the first step on, not in rare spikes.

## Fix
Initialise by fan-in, or divide the hand-made weights by the root of their fan-in:

```python
for module in model.modules():
    if isinstance(module, (torch.nn.Linear, torch.nn.Conv2d)):
        torch.nn.init.kaiming_normal_(module.weight, nonlinearity="relu")
        if module.bias is not None:
            torch.nn.init.zeros_(module.bias)

weight = torch.nn.Parameter(torch.randn(out_features, in_features) / in_features**0.5)
```

## What not to do
- Do not lower the learning rate until the loss is calm: the run is then spent shrinking the weights.
- Do not only clip: the first loss stays wrong, and the logits stay certain of nonsense.

## Often confused with
- `exploding-gradients`: weights start at ordinary size; norms are ordinary most of the time.
- `lr-too-high`: the first loss is at chance and rises after the first steps.
- `unscaled-inputs`, `unscaled-targets`: the first loss is high because the data are large, not the weights.
- `saturated-activations`: the effect of this cause on sigmoid and tanh layers.

## Verify
The first loss is within a tenth of chance, and activation std is alike in all layers at step 0.

Chance is ln of the number of classes, and the targets' variance for standardised regression.

## References
- He, Zhang, Ren, Sun: Delving deep into rectifiers (2015).
- Glorot, Bengio: Understanding the difficulty of training deep feedforward neural networks (2010).
"""

from ._fixing import Fix, Run, Signs, raised, said
from ._layers import initialised, measured_scale, smaller_embeddings

FAMILY = "signal"
SETTLED_BY = ("check",)
TITLE = "Initial weights too large"
FOR = {
    "init-scale-large": 4.5, "embedding-scale-large": 4.5, "first-loss-above-chance": 1.5,
    "activation-variance-grows": 1.5, "saturated-units": 0.5, "preactivations-large": 0.7,
    "gradients-explode-with-depth": 0.7, "gradient-norm-level": 0.5, "early-instability": 0.5,
    "weights-shrinking": 0.3,
}  # fmt: skip
REQUIRES = ("init-scale-large", "embedding-scale-large")


def fix(run: Run, signs: Signs) -> Fix:
    """Initialise by fan-in; names the layer that is furthest above, and the first loss against chance."""
    if raised(signs, "embedding-scale-large"):
        return smaller_embeddings(run, signs["embedding-scale-large"].values)
    summary = f"Initialise the layers by their fan-in.{measured_scale(run, smallest=False)}"
    return initialised(run, summary + said(signs, "first-loss-above-chance"))
