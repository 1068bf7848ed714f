"""Many ReLU units output zero for every input, so they get no gradient and stay dead.

## What happens

A growing share of the hidden units is zero for all samples. The model acts like a much smaller one, the loss
settles high or is stuck. If a whole layer dies, the outputs are constant and no gradient passes that layer at all.

## Why

ReLU(z) = max(0, z) has derivative 0 for z < 0. A unit with z = w·x + b < 0 for every x of the data gets dL/dw = 0
and dL/db = 0 from every sample: nothing can bring it back, except weight decay or a change in the layers below. One
oversized step is enough: with non-negative inputs (the outputs of a ReLU below) a step that makes w and b more
negative lowers z for all samples at once. Strongly negative initial biases do it at step 0. A unit that is zero for
*most* samples is normal, and is what makes ReLU layers sparse; dead means zero for *all* samples of many batches.

## Signs

- Share of units that were zero in every batch looked at: at initialisation a few percent at most, in a sick layer
  above half.
- The share jumps after a large step, or is there from the start with negative biases.
- Gradients of those rows are exactly zero.

## Fix

First remove what killed them: a learning rate that is too high, a missing warmup, negative biases. Then use an
activation with a slope on both sides, and start again: dead units don't come back.

```python
activation = torch.nn.LeakyReLU(0.01)  # or torch.nn.GELU()
for module in model.modules():
    if isinstance(module, torch.nn.Linear):
        torch.nn.init.kaiming_normal_(module.weight, nonlinearity="relu")
        torch.nn.init.zeros_(module.bias)
```

## What not to do

- Do not add width: the new units die the same way.
- Do not read a layer's share of zero outputs as dead units: half zeros is what a healthy ReLU layer shows.
- Do not continue from the checkpoint: weights without gradient stay where they are.

## Often confused with

- `lr-too-high`: if one step killed the units, the learning rate is the cause and the dead units are its effect.
- `vanishing-gradients`: gradients small everywhere and falling with depth, but not exactly zero by unit.
- `symmetric-init`: units all do the same thing rather than nothing.
- `init-too-small`: outputs tiny, but different from zero.

## Verify

Over at least 20 batches, fewer than about a tenth of the units are zero for every sample, and the share does not
grow.

## References

- Maas, Hannun, Ng: Rectifier nonlinearities improve neural network acoustic models (2013).
- Lu, Shin, Su, Karniadakis: Dying ReLU and initialization: theory and numerical examples (2020).
"""

from __future__ import annotations

import ast

from ..edits import Edits
from ..edits.arguments import set_value
from ..edits.layers import (
    rename_call,
)
from ..edits.source import callee
from ..record import Run
from ..record.values import number
from ..signs import Signs
from ..wording import num, percent
from ._base import Fix
from ._facts import model_site, worst
from ._fixing import begin, fixed

ID = "dead-relus"
FAMILY = "signal"
TITLE = "Dead ReLU units"
MEANS = "Units output zero for every input of many batches, get no gradient and therefore never recover."
FOR = {
    "dead-units": 4.0,
    "params-zero-gradient": 0.7,
    "gradients-zero": 0.7,
    "output-ignores-input": 1.0,
    "one-batch-not-learnt": 0.7,
    "loss-stuck": 0.7,
    "loss-plateau": 0.7,
    "training-at-chance": 0.7,
    "sparse-activations": 0.3,
}
AGAINST = {
    "saturated-units": 1.0,
    "rows-identical": 2.0,
    "input-nonfinite": 3.0,
    "loss-not-finite": 1.5,
    "loss-at-floor": 2.0,
    "update-ratio-high": 1.0,
    "loss-oscillating": 0.5,
    "input-scale-odd": 1.0,
    "decay-dominates": 1.5,
    "still-improving": 0.5,
    "training-learned": 1.5,
    "rate-above-usual": 2.0,
}
REQUIRES = ("dead-units",)
EXPLAINS = ("model-too-small", "vanishing-gradients", "undertrained")
AVOID = (
    "Do not add width: the new units die the same way.",
    "Do not read a layer's share of zeros as dead units: half zeros is ordinary for ReLU.",
    "Do not continue from the checkpoint: dead units don't come back.",
)
VERIFY = "Over 20 batches fewer than a tenth of the units are zero for every sample, and the share does not grow."
REFERENCE = "Maas, Hannun & Ng, Rectifier nonlinearities improve neural network acoustic models, 2013"

_LEAKY = "activation = torch.nn.LeakyReLU(0.01)  # instead of torch.nn.ReLU()"


def fix(run: Run, _signs: Signs) -> Fix:
    """Start the biases at zero where they start strongly negative; else use a leaky activation."""
    dead = worst(run, "act_dead", above=0.1)
    measured = ""
    if dead:
        measured = f" Dead units: {', '.join(f'{percent(share)} in layer `{name}`' for name, share in dead[:3])}."
    negative = [
        (str(param.get("name")), mean)
        for param in run.entries("params")
        if param.get("kind") in ("bias", "norm")
        and (mean := number(param.get("init_mean"))) is not None
        and mean < -0.5
    ]
    edits = begin(run)
    if negative:
        name, mean = min(negative, key=lambda item: item[1])
        if edits is not None:
            _zero_biases(edits)
        summary = f"Initialise the biases to zero: `{name}` starts at {num(mean)}, which keeps its units off.{measured}"
        return fixed(run, summary, edits, "torch.nn.init.zeros_(layer.bias)", near=model_site(run))
    for source, call in edits.project.calls("ReLU") if edits is not None else []:
        if edits is not None and not call.args and not call.keywords:
            rename_call(edits, source, call, "LeakyReLU")
    for source, call in edits.project.calls("relu") if edits is not None else []:
        if edits is not None and source.segment(call.func) in ("torch.relu", "F.relu", "nn.functional.relu"):
            home = source.segment(call.func).replace("torch.relu", "torch.nn.functional.relu")
            edits.replace(source, call.func, home.removesuffix("relu") + "leaky_relu")
    summary = f"Use LeakyReLU or GELU; if the share of dead units jumped, lower the learning rate first.{measured}"
    return fixed(run, summary, edits, _LEAKY, near=model_site(run))


def _zero_biases(edits: Edits) -> None:
    """The negative number that the script writes into biases becomes zero."""
    for source, call in edits.project.calls("constant_", "fill_", "full"):
        written = source.segment(call)
        value = call.args[-1] if call.args else None
        biased = "bias" in written or (callee(call) == "full" and len(call.args) == 2)
        if value is not None and biased and source.segment(value).startswith("-"):
            set_value(edits, source, value, "0.0")
    for source in edits.project.sources:
        for node in ast.walk(source.tree):
            if isinstance(node, ast.AugAssign) and "bias" in source.segment(node.target):
                edits.delete(source, node)
