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
- Do not lower the learning rate or clip: that only moves the trouble later, and the direction is wrong as well as the
  length.
- Do not call `zero_grad()` between `backward()` and `step()`: then there is nothing to step with.

## Often confused with
- `lr-too-high`: looks the same on the curve, but every gradient is fresh.
- `exploding-gradients`: a single backward makes the large norm.
- `unscaled-accumulation`: gradients are summed on purpose, over a fixed number of backwards.
- `optimizer-misconfigured`: momentum close to 1 has the same dynamics by a setting.

## Verify
The gradient norm of the first 20 steps keeps its order of magnitude instead of growing with every step.

Or assert before backward that `all(p.grad is None or not p.grad.any() for p in model.parameters())`.

## References
- PyTorch documentation, `torch.optim.Optimizer.zero_grad`.
- PyTorch tutorial, "Optimizing Model Parameters", section on the optimization loop.
- PyTorch recipe, "Zeroing out gradients in PyTorch".
"""

import ast

from ..edits import Edits, Source, backward_calls, optimizer_in, step_calls
from ._fixing import Fix, Run, Signs, begin, fixed, said
from ._known import backward_site, optimizer_name

FAMILY = "optimizer"
TITLE = "optimizer.zero_grad() missing"
FOR = {
    "grads-kept": 6.5, "gradients-agree": 0.7, "loss-oscillating": 0.7, "loss-diverged": 0.7,
    "gradient-norm-level": 0.5, "weights-growing": 0.5, "update-ratio-high": 0.3,
}  # fmt: skip
REQUIRES = ("grads-kept",)
EXPLAINS = ("unscaled-accumulation",)


def fix(run: Run, signs: Signs) -> Fix:
    kept = [entry.grads_kept or 0.0 for entry in run.optimizers]
    name, edits = optimizer_name(run, kept.index(max(kept)) if kept else 0), begin(run)
    near = backward_site(run)
    if run.by_hand.grads_kept:
        _clear_by_hand(run, edits)
        code = "for p in parameters:  # after each update\n    p.grad = None"
        return fixed(run, "Clear the gradients after each update.", edits, code, near=near, safety="safe")
    for source, call in _steps(run, edits, name)[:1]:
        name = optimizer_in(call) or name
        edits.insert_after(source, source.statement_of(call), f"{name}.zero_grad()")
    summary = f"Call {name}.zero_grad() after every {name}.step().{said(signs, 'grads-kept')}"
    return fixed(run, summary, edits, f"{name}.step()\n{name}.zero_grad()", near=near, safety="safe")


def _steps(run: Run, edits: Edits, name: str) -> list[tuple[Source, ast.Call]]:
    """The step that used a gradient which nobody had cleared; else that optimizer's, or the only one in sight."""
    for event in run.events_of("grads-kept"):
        if found := edits.project.calls_at(event.details.site, "step"):
            return found
    for source, call in backward_calls(run, edits.project):
        steps = step_calls(edits.project, source, call)
        steps = [step for step in steps if optimizer_in(step) == name] or steps
        if len(steps) == 1:
            return [(source, steps[0])]
    return []


def _clear_by_hand(run: Run, edits: Edits) -> None:
    """Behind the update `p -= lr * p.grad` in a loop over the parameters."""
    for source, call in backward_calls(run, edits.project)[:1]:
        grads = [
            (node, part)
            for node in source.walk(ast.AugAssign, ast.Assign, ast.Expr)
            for part in ast.walk(node)
            if isinstance(part, ast.Attribute) and part.attr == "grad"
            if source.function_of(node) is source.function_of(call)
        ]
        if len({node for node, _ in grads}) == 1 and isinstance(update := grads[0][0], ast.stmt):
            edits.insert_after(source, update, f"{source.segment(grads[0][1].value)}.grad = None")
