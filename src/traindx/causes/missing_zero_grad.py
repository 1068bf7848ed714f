"""Nothing clears the gradients, so every step uses the sum of all gradients so far.

## What happens
Training starts almost normally, since the first step's gradient is right. Then steps grow and point into the past:
the loss overshoots, swings in long waves, or diverges. With a small learning rate it may merely train badly.

## Why
`backward()` adds into `.grad`; it never overwrites. Without clearing, step t uses

    G_t = g_1 + g_2 + … + g_t

While gradients agree, ‖G_t‖ grows in proportion to t; where they are mostly noise, like √t. Compared with momentum,
G_t = m·G_{t−1} + g_t, this is momentum with m = 1: the average age of what it contains grows without bound and the
effective learning rate lr/(1 − m) is infinite. Nothing brakes the walk before the summed gradient has changed its
sign, so it runs far past the minimum and comes back: slow, growing oscillation. Adam divides the size of the sum
out again, so there the fault shows as stale directions rather than as large steps.

## Signs
- Gradients are not empty when backward starts and still hold what the last step already used.
- Gradient norm grows like a running sum, although each batch alone has an ordinary gradient.
- Each step's gradient is nearly parallel to the one before.
- A smaller learning rate delays the trouble and does not fix it.

## Fix
Clear once for each optimizer step. Any place after `step()` and before the next `backward()` will do.

```python
for inputs, targets in loader:
    optimizer.zero_grad()
    loss = criterion(model(inputs), targets)
    loss.backward()
    optimizer.step()
```

With accumulation over k micro-batches, clear after the k-th backward's step, and divide the loss by k.

## What not to do
- Do not lower the learning rate: it only moves the trouble later.
- Do not clip: the direction is wrong as well as the length.
- Do not call `zero_grad()` between `backward()` and `step()`: then there is nothing to step with.

## Often confused with
- `lr-too-high`: looks the same on the curve, but every gradient is fresh.
- `exploding-gradients`: a single backward makes the large norm.
- `unscaled-accumulation`: gradients are summed on purpose, over a fixed number of backwards.
- `optimizer-misconfigured`: momentum close to 1 has the same dynamics by a setting.

## Verify
Print the total gradient norm at the first 20 steps: it stays of one order instead of growing. Or assert before
backward that `all(p.grad is None or not p.grad.any() for p in model.parameters())`.

## References
- PyTorch tutorial, "Optimizing Model Parameters", section on the optimization loop.
- PyTorch documentation, `torch.optim.Optimizer.zero_grad`.
- PyTorch recipe, "Zeroing out gradients in PyTorch".
"""

from __future__ import annotations

import ast

from ..edits import Edits, Source
from ..edits.loops import (
    backward_calls,
    optimizer_in,
    step_calls,
)
from ..record import Run
from ..record.site import site_of
from ..record.values import number
from ..signs import Signs
from ._base import Fix
from ._fixing import begin, fixed
from ._known import optimizer, optimizer_name

ID = "missing-zero-grad"
FAMILY = "optimizer"
TITLE = "optimizer.zero_grad() missing"
MEANS = "Nothing clears the gradients between steps, so each step uses the sum of all gradients since the start."
FOR = {
    "grads-kept": 6.5,
    "gradients-agree": 0.7,
    "loss-oscillating": 0.7,
    "loss-diverged": 0.7,
    "gradient-norm-level": 0.5,
    "weights-growing": 0.5,
    "update-ratio-high": 0.3,
}
AGAINST = {"backward-without-step": 2.0, "crash-no-graph": 3.0}
REQUIRES = ("grads-kept",)
EXPLAINS = (
    "lr-too-high",
    "no-warmup",
    "exploding-gradients",
    "unscaled-accumulation",
    "lr-never-decays",
    "optimizer-misconfigured",
    "dead-relus",
    "saturated-activations",
    "clip-too-tight",
)
AVOID = (
    "Do not lower the learning rate or clip: the direction is wrong as well as the length.",
    "Do not call zero_grad() between backward() and step().",
)
VERIFY = "The gradient norm of the first 20 steps keeps its order of magnitude instead of growing with every step."
REFERENCE = "PyTorch documentation, torch.optim.Optimizer.zero_grad"


def fix(run: Run, _signs: Signs) -> Fix:
    name = optimizer_name(run)
    kept, heard = number(optimizer(run).get("grads_kept")), number(optimizer(run).get("steps_heard"))
    count = f" It was not called before {kept:.0f} of the {heard:.0f} steps checked." if kept and heard else ""
    edits = begin(run)
    near = site_of(next(iter(run.entries("backward_sites")), None))
    if number(run.fact("by_hand").get("grads_kept")):
        if edits is not None:
            _clear_by_hand(run, edits)
        code = "for p in parameters:  # after each update\n    p.grad = None"
        return fixed(run, "Clear the gradients after each update.", edits, code, near=near, safety="safe")
    if edits is not None:
        for source, call in _steps(run, edits)[:1]:
            name = optimizer_in(call) or name
            edits.insert_after(source, source.statement_of(call), f"{name}.zero_grad()")
    code = f"{name}.step()\n{name}.zero_grad()"
    summary = f"Call {name}.zero_grad() after every {name}.step().{count}"
    return fixed(run, summary, edits, code, near=near, safety="safe")


def _steps(run: Run, edits: Edits) -> list[tuple[Source, ast.Call]]:
    """The step that used a gradient which nobody had cleared; else the only one beside backward."""
    for event in run.events_of("grads-kept"):
        found = edits.project.calls_at(event.data.get("site"), "step")
        if found:
            return found
    for source, call in backward_calls(run, edits.project):
        steps = step_calls(edits.project, source, call)
        if len(steps) == 1:
            return [(source, steps[0])]
    return []


def _clear_by_hand(run: Run, edits: Edits) -> None:
    """Behind the update `p -= lr * p.grad` in a loop over the parameters."""
    for source, call in backward_calls(run, edits.project)[:1]:
        updates = [
            node
            for node in source.walk(ast.AugAssign, ast.Assign, ast.Expr)
            if isinstance(node, ast.stmt)
            and any(isinstance(p, ast.Attribute) and p.attr == "grad" for p in ast.walk(node))
            and source.function_of(node) is source.function_of(call)
        ]
        if len(updates) == 1:
            grads = [p for p in ast.walk(updates[0]) if isinstance(p, ast.Attribute) and p.attr == "grad"]
            edits.insert_after(source, updates[0], f"{source.segment(grads[0].value)}.grad = None")
