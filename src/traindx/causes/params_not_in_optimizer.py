"""Some parameters get gradients and are never updated.

## What happens
The script runs without an error and learns nothing, or only part of the model learns. Loss stays at its start when
the optimizer holds other tensors altogether or is never stepped; it falls to a poor level when only some layers
move.

## Why
An optimizer keeps references to the tensor objects that it was given when it was made. It updates those and nothing
else. The usual ways to lose a parameter:

- the optimizer is made before a layer is added or replaced (`model.fc = nn.Linear(...)` after
  `SGD(model.parameters())`);
- layers live in a plain list or dict, so `model.parameters()` does not know them: use `nn.ModuleList`,
  `nn.ModuleDict`;
- only a part is passed on (`model.head.parameters()`), or a second model has no optimizer;
- the model is rebuilt, or its parameters are replaced by new tensors, after the optimizer was made;
- `step()` is missing, or is called on another optimizer;
- `zero_grad()` stands between `backward()` and `step()`, which then finds no gradient.

Backward still fills `.grad` of all of them, because autograd follows the graph and not the optimizer. A frozen
random layer is a fixed random projection: the rest can often learn on top of it, which is why the fault goes
unnoticed.

## Signs
- Parameters with a gradient that belong to no param group.
- Parameters that do not change by a single bit in all steps although they have gradients.
- Backward passes without any optimizer step.
- Loss at chance, or a plateau well above what the model should reach.

## Fix
Build the complete model first, then the optimizer, from all of its parameters.

```python
model.fc = nn.Linear(512, 10)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)   # after the last change to the model
```

If the optimizer must exist already: `optimizer.add_param_group({"params": new_layer.parameters()})`.

## What not to do
- Do not raise the rate: what is missing does not move at any rate.
- Do not call `model.parameters()` once, keep the generator, and use it twice: the second use is empty.

## Often confused with
- `frozen-layers`: those have requires_grad=False and no gradient at all.
- `detached-graph`: those have requires_grad=True and no gradient, because the graph is cut.
- `lr-too-low`: everything moves, a little.
- A backbone left out on purpose is healthy: only layers that the task needs count.

## Verify
After one step every parameter that requires grad has changed: compare clones from before and after. In short:
`{id(p) for g in optimizer.param_groups for p in g["params"]}` contains the id of every trainable parameter.

## References
- PyTorch documentation, "torch.optim: Constructing it" and `torch.optim.Optimizer.add_param_group`.
- PyTorch documentation, `torch.nn.ModuleList`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..record import Run
from ..signs import Signs
from ._base import Fix
from ._known import (
    at,
    counted,
    entries,
    in_script_words,
    listed,
    number,
    optimizer,
    optimizer_class,
    optimizer_name,
    rate,
    show,
    site_of,
    whole_line,
)
from ._lines import with_keyword

ID = "params-not-in-optimizer"
FAMILY = "optimizer"
SETTLED_BY = ("check",)
TITLE = "Parameters are missing from the optimizer"
MEANS = (
    "Parameters that get gradients are never updated: the optimizer holds others, only some of them, or is never "
    "stepped."
)
FOR = {
    "params-outside-optimizer": 6.0,
    "backward-without-step": 6.0,
    "params-never-move": 2.0,
    "one-batch-not-learnt": 0.7,
    "loss-stuck": 0.7,
    "training-at-chance": 0.5,
    "loss-plateau": 0.3,
}
AGAINST = {
    "fresh-layers-frozen": 1.5,
    "params-without-gradient": 1.0,
    "crash-no-graph": 3.0,
    "lr-collapsed": 1.0,
    "reinforcement-learning": 1.0,
}
REQUIRES = ("params-outside-optimizer", "backward-without-step", "params-never-move")
EXPLAINS = (
    "lr-too-low",
    "model-too-small",
    "undertrained",
    "vanishing-gradients",
    "lr-decays-too-soon",
    "missing-zero-grad",
    "noisy-labels",
)
AVOID = (
    "Do not raise the rate: what the optimizer does not hold does not move at any rate.",
    "Do not keep the generator model.parameters() and use it twice: the second use is empty.",
)
VERIFY = "After one step every trainable parameter differs from its copy taken before."
REFERENCE = "PyTorch documentation, torch.optim: Constructing it"


def fix(run: Run, signs: Signs) -> Fix:
    site = site_of(optimizer(run))
    name = optimizer_name(run)
    stepped = number(optimizer(run).get("steps"))
    found = signs.get("backward-without-step")
    if found is not None and found.values.get("emptied"):
        summary = f"clear the gradients before backward, not between backward and {name}.step(), which finds none"
        return Fix(summary, f"{name}.zero_grad()\nloss.backward()\n{name}.step()", None)
    if run.events_of("backward-without-step") or stepped == 0:
        backward = site_of(next(iter(entries(run, "backward_sites")), None))
        backwards = number(run.facts.get("backwards"))
        count = f" after {backwards:.0f} backward passes" if backwards else ""
        line = whole_line(backward) or "loss.backward()"
        summary = f"{at(backward)}call {name}.step() after backward: nothing was ever updated{count}"
        return Fix(summary, f"{line}\n{name}.step()", backward)
    lost = [entry for entry in entries(run, "params") if _left_out(entry)]
    if not lost:
        summary = f"{at(site)}make the optimizer from all parameters, after the last change to the model"
        return Fix(summary, _construction(run), site)
    elements = sum(number(entry.get("elements")) or 0.0 for entry in lost)
    names = listed([str(entry.get("name")) for entry in lost])
    summary = (
        f"{at(site)}{counted(len(lost), 'parameter')} ({show(elements)} numbers) with a gradient and in no group: "
        f"{names}; make the optimizer from all parameters, after the last change to the model"
    )
    return Fix(summary, _construction(run), site)


def _left_out(entry: Mapping[str, Any]) -> bool:
    return entry.get("requires_grad") is True and entry.get("optimizer") is None and entry.get("grad") != "none"


def _construction(run: Run) -> str:
    """The optimizer's line, made from all parameters."""
    kind = optimizer_class(run) or "AdamW"
    site = site_of(optimizer(run))
    everything = in_script_words(run, "model.parameters()")
    line = with_keyword(site.text, "params", everything, call=kind, position=0) if site else None
    lr = rate(run)
    line = line or f"{optimizer_name(run)} = torch.optim.{kind}({everything}, lr={lr or 1e-3:g})"
    return f"{line}\n# below the last line that adds or replaces a layer"
