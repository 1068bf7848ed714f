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

from __future__ import annotations

from ..edits.arguments import set_value
from ..record import Run
from ..record.values import number
from ..signs import Signs
from ..wording import num, percent
from ._architecture import normalise_before
from ._base import Fix
from ._facts import model_site, worst
from ._fixing import begin, fixed

ID = "saturated-activations"
FAMILY = "signal"
TITLE = "Saturated sigmoid or tanh units"
MEANS = (
    "Sigmoid or tanh units sit at their limits, where the derivative is about zero, and neither the inputs' scale nor "
    "large initial weights put them there."
)
FOR = {
    "saturated-units": 3.0,
    "preactivations-large": 1.5,
    "gradients-vanish-with-depth": 0.5,
    "gradients-zero": 0.5,
    "output-ignores-input": 1.0,
    "one-batch-not-learnt": 0.7,
    "loss-stuck": 0.7,
    "loss-plateau": 0.7,
    "weights-growing": 0.5,
}
AGAINST = {
    "input-scale-odd": 2.5,
    "input-scale-spread": 2.0,
    "init-scale-large": 2.5,
    "activation-variance-grows": 0.5,
    "update-ratio-high": 1.5,
    "loss-oscillating": 0.7,
    "squashing-depth": 0.5,
    "outputs-pinned": 0.7,
    "loss-at-floor": 3.0,
    "rows-identical": 1.5,
    "training-learned": 1.5,
    "rate-above-usual": 2.0,
}
REQUIRES = ("saturated-units",)
EXPLAINS = ("vanishing-gradients", "model-too-small", "lr-too-low")
AVOID = (
    "Do not raise the learning rate to force units out of saturation: larger steps push more units in.",
    "Do not treat an output sigmoid or LSTM gates near 0 and 1 as a fault: that is ordinary.",
)
VERIFY = "Fewer than about a fifth of hidden outputs lie at a limit, and gradient rms changes little across the layer."
REFERENCE = "LeCun, Bottou, Orr & Müller, Efficient BackProp, 1998"

_PATTERN = """\
layer = torch.nn.Sequential(
    linear,
    torch.nn.LayerNorm(linear.out_features),  # keeps the activation's input at unit scale
    torch.nn.Tanh(),
)
"""


def fix(run: Run, _signs: Signs) -> Fix:
    """Normalise in front of the saturated layers; says when inputs or initial weights are the likely origin."""
    stuck = worst(run, "act_saturated", above=0.2)
    measured = ""
    if stuck:
        measured = (
            f" Outputs at a limit: {', '.join(f'{percent(share)} in layer `{name}`' for name, share in stuck[:3])}."
        )
    std = number(run.fact("data/train").get("std"))
    if std is not None and std > 5:
        measured += f" The inputs have a standard deviation of {num(std)}: scale them first."
    edits = begin(run)
    biases = (
        [c for c in edits.project.calls("constant_", "fill_") if "bias" in c[0].segment(c[1])]
        if edits is not None
        else []
    )
    if edits is not None and len(biases) == 1 and biases[0][1].args:
        set_value(edits, biases[0][0], biases[0][1].args[-1], "0.0")
        return fixed(run, f"Initialise the biases to zero.{measured}", edits, "torch.nn.init.zeros_(layer.bias)")
    if edits is not None:
        normalise_before(edits, "Sigmoid", "Tanh")
    summary = f"Put a normalisation layer in front of the saturated activations.{measured}"
    return fixed(run, summary, edits, _PATTERN, near=model_site(run))
