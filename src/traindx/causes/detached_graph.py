"""The path from the loss back to the weights is cut.

## What happens
If the cut is complete, backward raises "element 0 of tensors does not require grad and does not have a grad_fn". If
only a part is cut off, the script runs: the layers behind the cut keep their first values, or miss one term of the
loss, and the rest learns what it can. If the loss is rebuilt with requires_grad set by hand, it runs and nothing
learns.

## Why
Autograd records operations on tensors. Whatever leaves that record is a constant for backward:

- `.detach()`, `.data`, `.item()`, `torch.tensor(x)` or a round trip through numpy in the middle of the model;
- a forward under `torch.no_grad()` or `torch.inference_mode()`;
- `argmax`, comparison, rounding, integer casts and sampling: constant almost everywhere, so the derivative is zero;
- `loss = torch.tensor(loss.item(), requires_grad=True)`, which silences the error and trains nothing.

By the chain rule ∂L/∂w = ∂L/∂y · ∂y/∂w. With the link ∂y/∂w unknown to the graph, the product is never formed and
`.grad` stays None; with a constant operation in the path it is formed and equals zero.

## Signs
- A parameter requires grad, its module ran in training, and its gradient is None or exactly zero at every step.
- The error "does not require grad" at backward.
- The layers concerned never move.

## Fix
Remove the cut; detach only for logging, and only the copy that is logged.

```python
hidden = encoder(inputs)                  # was encoder(inputs).detach()
loss = criterion(decoder(hidden), targets)
loss.backward()
running += loss.item()                    # for the log, after backward
```

Where a choice must be discrete, use a surrogate: softmax instead of argmax, Gumbel-softmax, or the straight-through
form `hard + soft - soft.detach()`.

## What not to do
- Do not write `loss.requires_grad_(True)` or wrap it in a new tensor: the error goes away and the learning with it.
- Do not pass `allow_unused=True` or `find_unused_parameters=True` to silence the message.

## Often confused with
- `frozen-layers`: requires_grad is False.
- `params-not-in-optimizer`: the gradient arrives and is ignored.
- `dead-relus`: the gradient is zero because every unit is off; the graph is whole.
- `symmetric-init`: all-zero weights pass zero gradients on, through a whole graph.
- A target network, a stop-gradient in self-distillation and truncated backpropagation are cuts made on purpose.

## Verify
After one backward: `[name for name, p in model.named_parameters() if p.grad is None or not p.grad.any()]` is empty.
To find a cut, print `.grad_fn` of the intermediate results from the loss backwards; the first None is behind it.

## References
- PyTorch documentation, "Autograd mechanics".
- PyTorch documentation, `torch.Tensor.detach`.
- E. Jang, S. Gu, B. Poole, "Categorical Reparameterization with Gumbel-Softmax", ICLR 2017.
- Y. Bengio, N. Léonard, A. Courville, "Estimating or Propagating Gradients Through Stochastic Neurons", 2013.
"""

from __future__ import annotations

from ..record import Run
from ..signs import Signs
from ._base import Fix
from ._known import at, counted, entries, in_script_words, listed, record, site_of
from ._lines import without_detach

ID = "detached-graph"
FAMILY = "optimizer"
SETTLED_BY = ("check",)
TITLE = "The graph is cut between loss and weights"
MEANS = (
    "The graph is cut between loss and weights (detach, no_grad, .data, numpy, argmax), so part of the model "
    "loses the gradient of a loss term."
)
FOR = {
    "crash-no-graph": 6.5,
    "params-without-gradient": 5.5,
    "params-zero-gradient": 3.0,
    "params-never-move": 0.7,
    "one-batch-not-learnt": 0.7,
    "loss-stuck": 0.5,
    "training-at-chance": 0.3,
    "gradients-zero": 0.7,
}
AGAINST = {
    "fresh-layers-frozen": 2.0,
    "dead-units": 2.5,
    "rows-identical": 2.0,
    "saturated-units": 1.5,
    "gradient-underflow": 2.0,
    "gradients-vanish-with-depth": 1.0,
    "class-ids-in-regression-loss": 0.5,
}
REQUIRES = ("crash-no-graph", "params-without-gradient", "params-zero-gradient")
EXPLAINS = (
    "lr-too-low",
    "model-too-small",
    "undertrained",
    "vanishing-gradients",
    "params-not-in-optimizer",
    "noisy-labels",
)
AVOID = (
    "Do not write loss.requires_grad_(True): the error goes away and the learning with it.",
    "Do not silence the message with allow_unused or find_unused_parameters.",
)
VERIFY = "After one backward every trainable parameter has a gradient that is not None and not all zero."
REFERENCE = "PyTorch documentation, Autograd mechanics"

CHECK = (
    "for name, parameter in model.named_parameters():\n"
    "    if parameter.requires_grad and (parameter.grad is None or not parameter.grad.any()):\n"
    '        print("no gradient reaches", name)'
)
CUTS = ("detach", "item", "numpy", "data", "argmax", "round", "no_grad", "inference_mode", "tensor")


def fix(run: Run, _signs: Signs) -> Fix:
    lost = [
        str(entry.get("name"))
        for entry in entries(run, "params")
        if entry.get("requires_grad") and entry.get("grad") in ("none", "zero") and entry.get("ran")
    ]
    reached = f"; {counted(len(lost), 'parameter')} ran and never got a gradient: {listed(lost)}" if lost else ""
    check = f"# after loss.backward(), this names what lies behind the cut:\n{in_script_words(run, CHECK)}"
    known = [*entries(run, "ops"), *entries(run, "losses"), *entries(run, "backward_sites")]
    for site in filter(None, map(site_of, known)):
        line = without_detach(site.text)
        if line:
            return Fix(f"{at(site)}detach cuts the graph here: let the tensor through as it is{reached}", line, site)
    cut = next((op for op in entries(run, "ops") if str(op.get("op")).rsplit(".", 1)[-1] in CUTS), None)
    if cut is not None:
        where = site_of(cut)
        return Fix(f"{at(where)}{cut.get('op')} cuts the graph here: go round it in training{reached}", check, where)
    error = record(run, "error")
    away = "keep detach, .data, item, numpy round trips, no_grad and argmax out of the path from weights to loss"
    if "require grad" in str(error.get("message")):
        where = site_of(error)
        return Fix(f"{at(where)}the loss has no graph behind it: {away}{reached}", check, where)
    return Fix(f"{away}{reached}", check)
