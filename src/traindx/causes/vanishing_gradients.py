"""Depth with squashing activations or without skip paths shrinks the gradient layer by layer toward the input, so the
early layers do not learn.

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
At step 0 the first layer's gradient rms is more than a hundredth of the last layer's, and the loss leaves chance.

Later the first layers' update ratio is within a factor of ten of the last layers'.

## References
- Glorot, Bengio: Understanding the difficulty of training deep feedforward neural networks (2010).
- Bengio, Simard, Frasconi: Learning long-term dependencies with gradient descent is difficult (1994).
- He, Zhang, Ren, Sun: Deep residual learning for image recognition (2016).
"""

from ..edits import callee, remove_keyword, rename_call
from ._fixing import Fix, Run, Signs, begin, fixed, raised, said
from ._known import model_site
from ._layers import normalise_before

FAMILY = "signal"
SETTLED_BY = ("check",)
TITLE = "Vanishing gradients"
FOR = {
    "gradients-vanish-with-depth": 3.0, "gradients-fade-along-chain": 3.0, "squashing-depth": 2.0,
    "gradients-zero": 1.0, "recurrent-or-deep-plain": 0.7, "loss-stuck": 1.0, "training-at-chance": 0.5,
    "loss-plateau": 0.5, "update-ratio-low": 0.5,
}  # fmt: skip
REQUIRES = ("gradients-vanish-with-depth", "gradients-fade-along-chain", "gradients-zero")

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
    types = [module.type for module in run.models[0].modules] if run.models else []
    in_time = raised(signs, "gradients-fade-along-chain") and not raised(signs, "gradients-vanish-with-depth")
    gated = any(kind in ("LSTM", "GRU", "LSTMCell", "GRUCell") for kind in types)
    edits = begin(run)
    if "RNN" in types or "RNNCell" in types or (in_time and not gated):
        plain = edits.project.calls("RNN", "RNNCell")
        if len(plain) == 1:
            source, call = plain[0]
            rename_call(edits, source, call, (callee(call) or "").replace("RNN", "GRU"))
            remove_keyword(edits, source, call, "nonlinearity")
        summary = f"Replace the plain recurrence with a GRU or an LSTM.{said(signs, 'gradients-fade-along-chain')}"
        return fixed(run, summary, edits, _RECURRENT, near=model_site(run))
    squashing = sum(kind in ("Sigmoid", "Tanh", "Softsign", "Hardtanh", "Hardsigmoid") for kind in types)
    what = f"the {squashing} sigmoid or tanh activations" if squashing else "the activations"
    normalise_before(edits, instead="ReLU")
    summary = f"Replace {what} of the hidden layers with ReLU and normalisation, or add skip connections."
    summary += said(signs, "gradients-vanish-with-depth", "gradients-fade-along-chain")
    return fixed(run, summary, edits, _RESIDUAL, near=model_site(run))
