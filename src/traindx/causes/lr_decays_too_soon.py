"""The schedule ends the training before the loss does.

## What happens
The loss falls well, then freezes at the step where the rate becomes tiny. Gradients are still healthy: there is
something to learn and no step to learn it with. Often the curve looks like a plateau until the rate is drawn under
it.

## Why
Schedulers count calls, not epochs. `StepLR(step_size=10, gamma=0.1)` means ten calls. Written for epochs and called
once per batch, it divides the rate by ten every ten batches: after 100 batches the rate is 1e-10 of its start. The
distance that the weights can still travel is bounded by the sum of the remaining rates, and for a geometric decay
with factor γ that sum is lr/(1 − γ), however many steps follow. Once that sum is small against the distance to go,
more steps change nothing.

The same happens when T_max of a cosine is shorter than the run, when a resumed run restarts the scheduler's counter
wrongly, when ReduceLROnPlateau has a patience shorter than the noise, or when warmup never leaves zero.

## Signs
- Rate practically zero long before the loss has settled, or zero from the start.
- Loss flat from that step on, gradient norm unchanged.
- A per-epoch scheduler that was stepped many times an epoch.

## Fix
Call the scheduler at the pace its numbers are meant for, or give it numbers for the pace at which it is called.

```python
for epoch in range(epochs):
    for inputs, targets in loader:
        ...
        optimizer.step()
    scheduler.step()                       # once per epoch, outside the inner loop
```

For a schedule in steps: `T_max=epochs * len(loader)` and one call after every `optimizer.step()`.

## What not to do
- Do not raise the initial rate to make up for it: the schedule eats any start.
- Do not add epochs: the rate is already spent.
- Do not read the freeze as convergence or as a model that is too small.

## Often confused with
- `lr-too-low`: slow from the first step.
- `model-too-small`, `lr-never-decays`: flat as well, but with the rate alive.
- `vanishing-gradients`: gradients, not rates, are tiny.
- `weight-decay-too-strong`: the loss is pulled to the trivial level instead of freezing where it is.

## Verify
Draw the rate under the loss: the loss must fall until the rate falls. Print `scheduler.get_last_lr()` at the end of
each epoch and compare with what you meant.

## References
- PyTorch documentation, "torch.optim: How to adjust learning rate".
- I. Loshchilov, F. Hutter, "SGDR: Stochastic Gradient Descent with Warm Restarts", ICLR 2017.
- L. Bottou, F. Curtis, J. Nocedal, "Optimization Methods for Large-Scale Machine Learning", SIAM Review, 2018.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..record import Run
from ..signs import Signs
from ._base import Fix, Site
from ._known import at, entries, number, optimizer_name, rate, show, site_of, steps_per_epoch, values
from ._lines import assigned_name, with_keyword

ID = "lr-decays-too-soon"
FAMILY = "learning-rate"
TITLE = "The learning rate decays too soon"
MEANS = (
    "The schedule takes the rate to almost nothing while the loss is still falling, often because a per-epoch "
    "scheduler is stepped per batch."
)
FOR = {
    "lr-collapsed": 4.0,
    "scheduler-steps-often": 4.0,
    "loss-plateau": 0.7,
    "loss-stuck": 0.5,
    "update-ratio-low": 0.7,
    "weights-hardly-move": 0.7,
    "loss-falling-slowly": 0.3,
}
AGAINST = {
    "lr-constant": 4.0,
    "gradients-zero": 1.5,
    "backward-without-step": 3.0,
    "params-outside-optimizer": 1.0,
    "loss-not-finite": 1.5,
    "loss-diverged": 1.5,
    "loss-oscillating": 1.0,
    "update-ratio-high": 2.0,
    "validation-rising": 1.0,
    "loss-at-floor": 2.5,
    "validation-learned": 1.0,
}
REQUIRES = ("lr-collapsed", "scheduler-steps-often")
EXPLAINS = ("lr-too-low", "undertrained", "model-too-small")
AVOID = (
    "Do not raise the initial rate: the schedule eats any start.",
    "Do not add epochs: the rate is already spent.",
)
VERIFY = "With the rate drawn under the loss, the loss keeps falling until the planned end of the decay."
REFERENCE = "PyTorch documentation, torch.optim: How to adjust learning rate"

# The keyword that holds a scheduler's length, counted in calls.
LENGTHS = ("T_max", "step_size", "total_iters", "total_steps")


def fix(run: Run, _signs: Signs) -> Fix:
    scheduler = next(iter(entries(run, "schedulers")), {})
    site = site_of(scheduler)
    epoch = steps_per_epoch(run)
    lost = _lost(run)
    calls = number(scheduler.get("steps"))
    per_batch = bool(calls and run.steps and calls >= 0.5 * run.steps)
    stretched = _stretched(scheduler, site, epoch) if per_batch else None
    kind = scheduler.get("class") or "the scheduler"
    counted = f"{kind} was stepped {calls:.0f} times" if calls else f"{kind} counts calls"
    every = f", and an epoch has {epoch} steps" if epoch else ""
    if site and stretched:
        summary = f"{at(site)}{counted}{every}{lost}: give it its length in steps, or step it once an epoch"
        return Fix(summary, stretched, site)
    name = (assigned_name(site.text) if site else None) or "scheduler"
    code = (
        "for epoch in range(epochs):\n"
        "    for inputs, targets in loader:\n"
        f"        ...  # forward, backward, {optimizer_name(run)}.step()\n"
        f"    {name}.step()  # once per epoch, outside the inner loop"
    )
    return Fix(f"{at(site)}{counted}{every}{lost}: step it once an epoch, or stretch it over the run", code, site)


def _lost(run: Run) -> str:
    """From where to where the rate fell."""
    seen = values(run, "lr")
    top = rate(run)
    return f"; the rate fell from {show(top)} to {show(float(seen[-1]))}" if top and len(seen) else ""


def _stretched(scheduler: Mapping[str, Any], site: Site | None, epoch: int | None) -> str | None:
    """The scheduler's line with its length counted in steps instead of epochs."""
    settings = scheduler.get("settings")
    if not site or not epoch or epoch < 2 or not isinstance(settings, Mapping):
        return None
    for name in LENGTHS:
        length = number(settings.get(name))
        line = with_keyword(site.text, name, f"{length * epoch:.0f}") if length else None
        if line:
            return line
    return None
