"""The gradient shrinks at every layer on its way back, so the layers near the input learn next to nothing.

## What happens

The loss stays near its first value for a long time, or falls only as far as the last layers can take it. The last
layers have gradients of ordinary size; each layer towards the input has a smaller one, by a roughly constant
factor. The first layers hardly move, however long the run is.

## Why

Backpropagation multiplies by one Jacobian per layer: dL/dh₀ = dL/dh_L · J_L · J_(L-1) ··· J_1. For a plain layer
h = f(Wx) the factor is J = diag(f′(Wx)) · W. If a typical J shrinks vectors by a factor r < 1, the gradient at depth L
is about r^L of what it was. The sigmoid's derivative s(1-s) is at most 1/4; with 20 layers and weights of unit gain
that is at most 4⁻²⁰ ≈ 1e-12. tanh reaches 1 only at zero. PyTorch's default weights have a gain of about 1/√3 per
layer, which ReLU halves again in variance: 50 plain layers are enough even without a sigmoid. A skip path h + g(h)
has the Jacobian I + J_g, which does not shrink; normalisation resets the scale at each layer. In a recurrent
network the same matrix is applied at every time step, so long sequences are deep networks.

## Signs

- Gradient size falls geometrically with depth, at initialisation already and in every batch.
- In a recurrence, the gradient with respect to early states is smaller by many orders than with respect to late
  ones, while the loss stays at chance.
- The stack is deep and uses sigmoid or tanh, or has neither skip paths nor normalisation.
- Weights have ordinary size against 1/√fan_in, and activations do not sit at their limits.

## Fix

Use ReLU or GELU with He initialisation, add normalisation, and add skip paths from about ten layers on.

```python
class Block(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.body = torch.nn.Sequential(
            torch.nn.LayerNorm(width), torch.nn.Linear(width, width), torch.nn.ReLU(), torch.nn.Linear(width, width)
        )

    def forward(self, x):
        return x + self.body(x)
```

For sequences, use an LSTM, a GRU or attention instead of a plain recurrence.

## What not to do

- Do not raise the learning rate for all layers: the last layers diverge long before the first ones move.
- Do not train longer: a factor of 1e-8 is not made up by ten times as many epochs.

## Often confused with

- `init-too-small`: the same picture, but weight std is far below 1/√fan_in and a scaled initialisation fixes it.
- `saturated-activations`: the loss of gradient happens at layers whose outputs sit at their limits.
- `lr-too-low`: all layers move slowly, and gradients are of like size at all depths.
- `params-not-in-optimizer`, `detached-graph`: gradients are healthy but unused, or exactly zero or absent.

## Verify

The ratio of first-layer to last-layer gradient rms at step 0 is above about 0.01, and the first layers' update
ratio is within a factor of ten of the last layers'.

## References

- Bengio, Simard, Frasconi: Learning long-term dependencies with gradient descent is difficult (1994).
- Glorot, Bengio: Understanding the difficulty of training deep feedforward neural networks (2010).
- He, Zhang, Ren, Sun: Deep residual learning for image recognition (2016).
"""

from __future__ import annotations

from ..edits.arguments import remove_keyword
from ..edits.layers import (
    rename_call,
)
from ..edits.source import callee
from ..record import Run
from ..signs import Signs
from ..wording import num
from ._architecture import normalise_before
from ._base import Fix
from ._facts import model_site, module_types, typical, weights
from ._fixing import begin, fixed

ID = "vanishing-gradients"
FAMILY = "signal"
SETTLED_BY = ("check",)
TITLE = "Vanishing gradients"
MEANS = (
    "Depth with squashing activations or without skip paths shrinks the gradient layer by layer toward the input, "
    "so the early layers do not learn."
)
FOR = {
    "gradients-vanish-with-depth": 3.0,
    "gradients-fade-along-chain": 3.0,
    "squashing-depth": 2.0,
    "gradients-zero": 1.0,
    "recurrent-or-deep-plain": 0.7,
    "loss-stuck": 1.0,
    "training-at-chance": 0.5,
    "loss-plateau": 0.5,
    "update-ratio-low": 0.5,
}
AGAINST = {
    "init-scale-small": 3.5,
    "init-scale-large": 1.5,
    "preactivations-large": 1.5,
    "saturated-units": 1.0,
    "input-scale-odd": 2.0,
    "dead-units": 1.5,
    "rows-identical": 3.0,
    "params-without-gradient": 2.0,
    "params-outside-optimizer": 2.0,
    "crash-no-graph": 4.0,
    "gradient-underflow": 2.0,
    "decay-dominates": 1.5,
    "lr-collapsed": 1.5,
    "loss-at-floor": 3.0,
    "training-learned": 2.0,
    "rate-above-usual": 1.0,
}
REQUIRES = ("gradients-vanish-with-depth", "gradients-fade-along-chain", "gradients-zero")
EXPLAINS = ("lr-too-low", "model-too-small", "undertrained", "no-momentum")
AVOID = (
    "Do not raise the learning rate for the whole model: the last layers diverge before the first ones move.",
    "Do not train longer: more epochs do not make up for a gradient that is orders of magnitude too small.",
)
VERIFY = (
    "At step 0 the first layer's gradient rms is more than a hundredth of the last layer's, and the loss leaves chance."
)
REFERENCE = (
    "Glorot & Bengio, Understanding the difficulty of training deep feedforward neural networks, 2010; "
    "He et al., Deep residual learning for image recognition, 2016"
)

_RESIDUAL = """\
class Block(torch.nn.Module):  # in place of one squashing layer; `width` is that layer's size
    def __init__(self, width):
        super().__init__()
        self.norm = torch.nn.LayerNorm(width)
        self.linear = torch.nn.Linear(width, width)

    def forward(self, x):
        return x + torch.relu(self.linear(self.norm(x)))
"""
_RECURRENT = "self.rnn = torch.nn.GRU(input_size, hidden_size, batch_first=True)  # gates keep the gradient alive"


def fix(run: Run, signs: Signs) -> Fix:
    """ReLU with normalisation, or gates where the model is a plain recurrence."""
    rms = typical(run, "grad_rms")
    depth = [str(param["name"]) for param in weights(run) if str(param["name"]) in rms]
    measured = ""
    if len(depth) > 1 and rms[depth[-1]] > 0:
        first, last = depth[0], depth[-1]
        measured = (
            f" Over {len(depth)} layers the gradient RMS goes from {num(rms[last])} at `{last}` to "
            f"{num(rms[first])} at `{first}`."
        )
    types = module_types(run)
    fading = signs.get("gradients-fade-along-chain")
    in_time = fading is not None and fading.raised and (signs.level("gradients-vanish-with-depth") or 0.0) < 0.5
    if fading is not None and in_time:
        measured = f" {fading.text[:1].upper()}{fading.text[1:].rstrip('.')}."
    edits = begin(run)
    gated = any(kind in ("LSTM", "GRU", "LSTMCell", "GRUCell") for kind in types)
    if "RNN" in types or "RNNCell" in types or (in_time and not gated):
        plain = edits.project.calls("RNN", "RNNCell") if edits is not None else []
        if edits is not None and len(plain) == 1:
            source, call = plain[0]
            rename_call(edits, source, call, (callee(call) or "").replace("RNN", "GRU"))
            remove_keyword(edits, source, call, "nonlinearity")
        summary = f"Replace the plain recurrence with a GRU or an LSTM.{measured}"
        return fixed(run, summary, edits, _RECURRENT, near=model_site(run))
    squashing = sum(kind in ("Sigmoid", "Tanh", "Softsign", "Hardtanh", "Hardsigmoid") for kind in types)
    what = f"the {squashing} sigmoid or tanh activations" if squashing else "the activations"
    if edits is not None:
        normalise_before(edits, "Sigmoid", "Tanh", instead="ReLU")
    summary = f"Replace {what} of the hidden layers with ReLU and normalisation, or add skip connections.{measured}"
    return fixed(run, summary, edits, _RESIDUAL, near=model_site(run))
