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

import ast

from ..edits import Edits, callee, rename_call, set_value
from ..wording import num
from ._fixing import Fix, Run, Signs, begin, fixed, said
from ._known import model_site

FAMILY = "signal"
TITLE = "Dead ReLU units"
FOR = {
    "dead-units": 4.0, "params-zero-gradient": 0.7, "gradients-zero": 0.7, "output-ignores-input": 1.0,
    "one-batch-not-learnt": 0.7, "loss-stuck": 0.7, "loss-plateau": 0.7, "training-at-chance": 0.7,
    "sparse-activations": 0.3,
}  # fmt: skip
REQUIRES = ("dead-units",)

NEGATIVE = -0.5  # mean of a bias at the start from which it keeps units off by itself
_LEAKY = "activation = torch.nn.LeakyReLU(0.01)  # instead of torch.nn.ReLU()"


def fix(run: Run, signs: Signs) -> Fix:
    """Start the biases at zero where they start strongly negative; else use a leaky activation."""
    edits = begin(run)
    biases = [entry for entry in run.parameters if entry.kind in ("bias", "norm")]
    means = {entry.name: mean for entry in biases if (mean := entry.init_mean) is not None}
    name = min(means, key=lambda name: means[name], default="")
    if name and means[name] < NEGATIVE:
        _zero_biases(edits)
        summary = f"Initialise the biases to zero: `{name}` starts at {num(means[name])}, which keeps its units off."
        summary += said(signs, "dead-units")
        return fixed(run, summary, edits, "torch.nn.init.zeros_(layer.bias)", near=model_site(run))
    for source, call in edits.project.calls("ReLU"):
        if not call.args and not call.keywords:
            rename_call(edits, source, call, "LeakyReLU")
    for source, call in edits.project.calls("relu"):
        home = source.segment(call.func).removesuffix("relu")
        if home in ("torch.", "F.", "nn.functional."):
            edits.replace(source, call.func, f"{'torch.nn.functional.' if home == 'torch.' else home}leaky_relu")
    advice = "Use LeakyReLU or GELU; if the share of dead units jumped, lower the learning rate first."
    return fixed(run, advice + said(signs, "dead-units"), edits, _LEAKY, near=model_site(run))


def _zero_biases(edits: Edits) -> None:
    """The negative number that the script writes into biases becomes zero."""
    for source, call in edits.project.calls("constant_", "fill_", "full"):
        value = call.args[-1] if call.args else None
        biased = "bias" in source.segment(call) or (callee(call) == "full" and len(call.args) == 2)
        if value is not None and biased and source.segment(value).startswith("-"):
            set_value(edits, source, value, "0.0")
    for source in edits.project.sources:
        for node in source.walk(ast.AugAssign):
            if isinstance(node, ast.AugAssign) and "bias" in source.segment(node.target):
                edits.delete(source, node)
