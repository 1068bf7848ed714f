"""Nothing clears the gradients, so every step uses the sum of all gradients so far.

## What happens
Training starts almost normally, since the first step's gradient is right. Then steps grow and point into the past:
the loss overshoots, swings in long waves, or diverges. With a small rate it may merely train badly.

## Why
`backward()` adds into `.grad`; it never overwrites. Without clearing, step t uses

    G_t = g_1 + g_2 + … + g_t

While gradients agree, ‖G_t‖ grows in proportion to t; where they are mostly noise, like √t. Compared with momentum,
G_t = m·G_{t−1} + g_t, this is momentum with m = 1: the average age of what it contains grows without bound and the
effective rate lr/(1 − m) is infinite. Nothing brakes the walk before the summed gradient has changed its sign, so
it runs far past the minimum and comes back: slow, growing oscillation. Adam divides the size of the sum out again,
so there the fault shows as stale directions rather than as large steps.

## Signs
- Gradients are not empty when backward starts and still hold what the last step already used.
- Gradient norm grows like a running sum, although each batch alone has an ordinary gradient.
- Each step's gradient is nearly parallel to the one before.
- A smaller rate delays the trouble and does not cure it.

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
- Do not lower the rate: it only moves the trouble later.
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

from ..record import Run
from ..signs import Signs
from ._base import Fix
from ._known import at, entries, number, optimizer, optimizer_name, record, show, site_of, values, whole_line

ID = "missing-zero-grad"
FAMILY = "optimizer"
TITLE = "Gradients are never cleared"
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
    "Do not lower the rate or clip: the direction is wrong as well as the length.",
    "Do not call zero_grad() between backward() and step().",
)
VERIFY = "The gradient norm of the first 20 steps stays of one order instead of growing like a sum."
REFERENCE = "PyTorch documentation, torch.optim.Optimizer.zero_grad"


def fix(run: Run, _signs: Signs) -> Fix:
    name = optimizer_name(run)
    kept = number(optimizer(run).get("grads_kept"))
    count = f" ({kept:.0f} of {run.steps} steps began with the last step's gradient in place)" if kept else ""
    norms = values(run, "grad_norm")
    grew = (
        f"; the gradient norm went from {show(float(norms[0]))} to {show(float(norms[-1]))}" if len(norms) > 1 else ""
    )
    if number(record(run, "by_hand").get("grads_kept")):
        site = site_of(next(iter(entries(run, "backward_sites")), {}))
        code = "for p in parameters:  # after each update\n    p.grad = None"
        return Fix(f"{at(site)}clear the gradients after each update by hand{grew}", code, None, "safe")
    stepped = next((site_of(event.data) for event in run.events_of("grads-kept")), None)
    line = whole_line(stepped)
    if line and ".step(" in line:
        summary = f"{at(stepped)}call {name}.zero_grad() after every step{count}{grew}"
        return Fix(summary, f"{line}\n{name}.zero_grad()", stepped, "safe")
    first = next(iter(entries(run, "backward_sites")), {})
    site = site_of(first)
    line = whole_line(site)
    # Before backward is right where one backward makes a step; between several, clearing would lose the first ones.
    if line and (number(first.get("per_step")) or 1) < 1.5:
        summary = f"{at(site)}call {name}.zero_grad() before backward{count}{grew}"
        return Fix(summary, f"{name}.zero_grad()\n{line}", site, "safe")
    code = f"{name}.step()\n{name}.zero_grad()"
    return Fix(f"{at(site)}call {name}.zero_grad() after every {name}.step(){count}{grew}", code, site, "safe")
