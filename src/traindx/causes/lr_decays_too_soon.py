"""The schedule takes the learning rate to almost nothing while the loss is still falling, often because a per-epoch
scheduler is stepped per batch.

## What happens
The loss falls well, then freezes at the step where the learning rate becomes tiny. Gradients are still healthy: there
is more to learn, but the steps are too small to learn it. The curve looks like a plateau until you plot the learning
rate below it.

## Why
Schedulers count calls, not epochs. `StepLR(step_size=10, gamma=0.1)` means ten calls. Written for epochs and called
once per batch, it divides the learning rate by ten every ten batches: after 100 batches the learning rate is 1e-10
of its start. The distance that the weights can still travel is bounded by the sum of the remaining learning rates,
and for a geometric decay with factor γ that sum is lr/(1 − γ), however many steps follow. Once that sum is small
against the distance to go, more steps change nothing.

The same happens when T_max of a cosine is shorter than the run, when a resumed run restarts the scheduler's counter
wrongly, when ReduceLROnPlateau has a patience shorter than the noise, or when warmup never leaves zero.

## Signs
- Learning rate practically zero long before the loss has settled, or zero from the start.
- Loss flat from that step on, gradient norm unchanged.
- A per-epoch scheduler that was stepped many times per epoch.

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
- Do not raise the initial learning rate to make up for it: the schedule takes any value to zero.
- Do not add epochs: the learning rate is already spent.
- Do not read the freeze as convergence or as a model that is too small.

## Often confused with
- `lr-too-low`: slow from the first step.
- `model-too-small`, `lr-never-decays`: flat as well, but with the learning rate alive.
- `vanishing-gradients`: gradients, not learning rates, are tiny.
- `weight-decay-too-strong`: the loss is pulled to the trivial level instead of freezing where it is.

## Verify
Plot the learning rate beside the loss: the loss falls until the planned end of the decay.

Print `scheduler.get_last_lr()` at the end of each epoch and compare with what you meant.

## References
- PyTorch documentation, "torch.optim: How to adjust learning rate".
- I. Loshchilov, F. Hutter, "SGDR: Stochastic Gradient Descent with Warm Restarts", ICLR 2017.
- L. Bottou, F. Curtis, J. Nocedal, "Optimization Methods for Large-Scale Machine Learning", SIAM Review, 2018.
"""

import ast

from ..edits import Edits, set_argument
from ..record.course import Scheduler
from ..record.forms import absent
from ..wording import num
from ._fixing import Fix, Run, Signs, assigned_at, begin, fixed
from ._frameworks import words
from ._known import learning_rate, values

FAMILY = "learning-rate"
TITLE = "Learning rate decays too soon"
FOR = {
    "lr-collapsed": 4.0, "scheduler-steps-often": 4.0, "loss-plateau": 0.7, "loss-stuck": 0.5,
    "update-ratio-low": 0.7, "weights-hardly-move": 0.7, "loss-falling-slowly": 0.3,
}  # fmt: skip
REQUIRES = ("lr-collapsed", "scheduler-steps-often")

LAST_SHARE = 0.05  # of the peak: what should be left of the learning rate at the end of the run
_PATTERN = """\
for epoch in range(epochs):
    for inputs, targets in loader:
        ...  # forward, backward, optimizer.step()
    scheduler.step()  # once per epoch, outside the inner loop"""
_FROM_THE_START = """\
# (step + 1), because the first step is number 0; /, because // is 0 until the warmup is over
scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: min(1.0, (step + 1) / warmup_steps))"""


def fix(run: Run, _signs: Signs) -> Fix:
    scheduler = next(iter(run.schedulers), absent(Scheduler))
    calls = int(scheduler.steps or 0)
    kind = scheduler.class_name or "the scheduler"
    counted_calls = f" {kind} was stepped {calls} times in {run.steps} steps." if calls else ""
    seen, top = values(run, "lr"), learning_rate(run)
    if len(seen) and not seen.any():
        summary = f"Begin above 0: {kind} sets the learning rate to 0 at all {len(seen)} recorded points."
        return fixed(run, summary, None, _FROM_THE_START, near=scheduler)
    edits = begin(run)
    verb = "Stretch the schedule over the whole run"
    if calls >= 0.5 * run.steps and calls and _moved(edits, scheduler):
        verb = "Step the scheduler once per epoch, not once per batch"
    elif calls:
        _stretched(edits, scheduler, kind, calls)
    lost = f" The learning rate fell from {num(top)} to {num(float(seen[-1]))}." if top and len(seen) else ""
    said = words("longer-decay", steps=run.steps or "total_steps")
    return fixed(run, f"{verb}.{counted_calls}{lost}", edits, _PATTERN, near=scheduler, words=said)


def _moved(edits: Edits, scheduler: Scheduler) -> bool:
    """Moves the only scheduler.step() from the inner loop behind it, where an outer loop runs over epochs."""
    name = assigned_at(edits, scheduler)
    steps = [
        (source, call)
        for source, call in edits.project.calls("step")
        if isinstance(call.func, ast.Attribute) and ast.unparse(call.func.value) == name
    ]
    if len(steps) != 1:
        return False
    source, call = steps[0]
    statement, loops = source.statement_of(call), source.loops_of(call)
    if len(loops) < 2 or not isinstance(statement, ast.Expr) or call.args:
        return False
    edits.delete(source, statement)
    edits.insert_after(source, loops[0], f"{name}.step()")
    return True


def _stretched(edits: Edits, scheduler: Scheduler, kind: str, calls: int) -> None:
    """Gives the scheduler the length of this run, counted in its own calls."""
    lengths = {
        "ExponentialLR": ("gamma", f"{LAST_SHARE ** (1 / calls):.4g}"),
        "StepLR": ("step_size", str(-(-calls // 2))),
        "CosineAnnealingLR": ("T_max", str(calls)),
        "LinearLR": ("total_iters", str(calls)),
        "PolynomialLR": ("total_iters", str(calls)),
        "MultiStepLR": ("milestones", str([calls // 2, calls * 3 // 4])),
    }
    found = edits.project.calls_at(scheduler.site, kind)
    if len(found) == 1 and kind in lengths:
        set_argument(edits, *found[0], *lengths[kind], kind)
    else:
        edits.refuse()
