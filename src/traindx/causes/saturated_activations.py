"""Sigmoid or tanh units sit at their limits, where the derivative is about zero.

## What happens
Learning stops at the layers whose outputs are stuck at 0 and 1 (or -1 and 1). The gradient that reaches such a
layer is of ordinary size, the one that leaves it is a thousandth of that. The loss plateaus or is stuck from the
start.

## Why
tanh′(z) = 1 - tanh²(z): 0.42 at z = 1, 0.07 at z = 2, 0.0013 at z = 4. The sigmoid's s(1-s) is 0.25 at 0, 0.018 at
4, 4.5e-5 at 10. A unit is pushed there when z = w·x + b is large: inputs of hundreds, weights whose std is well
above 1/√fan_in, or large steps that made them grow. With fan_in n, input rms a and weight std s the pre-activation
has std a·s·√n; at a = 1, s = 1/√n that is 1, and the unit works in its curved, useful part. Where unscaled inputs
or large initial weights put the units there, those are the cause and this is the effect.

## Signs
- More than about half of the outputs within three percent of a limit, over many batches.
- Large pre-activations (magnitude above 3).
- Gradient healthy above the layer and tiny below it.

## Fix
Bring the pre-activations back to about unit size, or use an activation that doesn't saturate on both sides:

```python
layer = torch.nn.Sequential(
    torch.nn.Linear(256, 256),
    torch.nn.LayerNorm(256),  # keeps the input of tanh at unit scale
    torch.nn.Tanh(),
)
torch.nn.init.xavier_uniform_(layer[0].weight, gain=torch.nn.init.calculate_gain("tanh"))
```

## What not to do
- Do not raise the learning rate to force units out of saturation: larger steps push more units in.
- Do not count an output sigmoid near 0 and 1 as a fault: on a well-classified set that is its job. Gates of an LSTM
  near 0 and 1 are ordinary too.

## Often confused with
- `unscaled-inputs`: input std far from 1; scaling the data alone fixes it.
- `init-too-large`: weight std far above 1/√fan_in at step 0.
- `vanishing-gradients`: pre-activations are small and gradients shrink at every layer by a constant factor.
- `lr-too-high`: saturation begins only after large steps.
- `dead-relus`: the same loss of gradient, for ReLU.

## Verify
At step 0 and later fewer than about a fifth of the hidden outputs lie at a limit, and gradient rms changes little
across the layer.

## References
- LeCun, Bottou, Orr, Müller: Efficient BackProp (1998).
- Glorot, Bengio: Understanding the difficulty of training deep feedforward neural networks (2010).
"""

from ..edits import set_value
from ..wording import num
from ._fixing import Fix, Run, Signs, begin, fixed, said
from ._known import model_site
from ._layers import normalise_before

FAMILY = "signal"
TITLE = "Saturated sigmoid or tanh units"
FOR = {
    "saturated-units": 3.0, "preactivations-large": 1.5, "gradients-vanish-with-depth": 0.5, "gradients-zero": 0.5,
    "output-ignores-input": 1.0, "one-batch-not-learnt": 0.7, "loss-stuck": 0.7, "loss-plateau": 0.7,
    "weights-growing": 0.5,
}  # fmt: skip
REQUIRES = ("saturated-units",)

_PATTERN = """\
layer = torch.nn.Sequential(
    linear,
    torch.nn.LayerNorm(linear.out_features),  # keeps the activation's input at unit scale
    torch.nn.Tanh(),
)
"""
LARGE_INPUTS = 5.0  # standard deviation from which the inputs alone saturate a layer


def fix(run: Run, signs: Signs) -> Fix:
    """Normalise in front of the saturated layers; says when inputs or initial weights are the likely origin."""
    measured = said(signs, "saturated-units")
    std = run.training_data.std
    if std is not None and std > LARGE_INPUTS:
        measured += f" The inputs have a standard deviation of {num(std)}: scale them first."
    edits = begin(run)
    biases = [(s, c) for s, c in edits.project.calls("constant_", "fill_") if "bias" in s.segment(c)]
    if len(biases) == 1 and biases[0][1].args:
        set_value(edits, biases[0][0], biases[0][1].args[-1], "0.0")
        return fixed(run, f"Initialise the biases to zero.{measured}", edits, "torch.nn.init.zeros_(layer.bias)")
    normalise_before(edits)
    summary = f"Put a normalisation layer in front of the saturated activations.{measured}"
    return fixed(run, summary, edits, _PATTERN, near=model_site(run))
