"""The loss ends on a noise floor, because the learning rate never decays.

## What happens
Early progress is good. Then the loss hovers around a constant with lively noise for the rest of the run. No
constant learning rate does better: a smaller one only gets to its own, lower floor later.

## Why
Near a minimum, with curvature λ and batch-gradient variance σ² along a direction, SGD with learning rate lr does
not converge: each step adds noise lr²σ² to the squared error and removes the share 2·lr·λ of it. They balance at an
error variance of lr·σ²/(2λ), which leaves an excess loss of about lr·σ²/4 for each such direction. The floor is
proportional to lr·σ². So a tenth of the learning rate lowers it tenfold, and a learning rate that goes to zero
removes it. Averaging the weights over the last stretch removes most of it too, without touching the learning rate.

Starting with the small learning rate is no way round: the descent takes 1/(lr·λ) steps. High first, low later has
both.

## Signs
- Late loss flat and noisy, with noise large against what trend remains.
- Learning rate constant over the whole run.
- Late in the run successive gradients point opposite ways, and steps overshoot: the walk circles the minimum.
- Early part of the curve steep and clean.

## Fix
Decay over the planned length; cosine to (nearly) zero needs no tuning. Step it once per optimizer step.

```python
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=epochs * len(loader))
# after optimizer.step():
scheduler.step()
```

For a finished run: load the last checkpoint and train 10 to 20 % more steps with the learning rate falling linearly
to zero.

## What not to do
- Do not enlarge the model because the loss is flat.
- Do not just train longer at the same learning rate: the floor does not depend on time.
- Do not cut the learning rate from the start.

## Often confused with
- `lr-too-high`: no good early progress, or growing swings.
- `model-too-small`: flat too, but with small gradients and at any learning rate.
- `batch-too-small`: noise so large that decay alone does not help at a useful speed. A larger batch lowers σ² as a
  smaller learning rate lowers lr; if the noise scale is far above the batch size, look there.
- `undertrained`: the slope at the end is still significant.

## Verify
From the last checkpoint, a short stretch with a tenth of the learning rate must drop the loss visibly within a few
hundred steps. If it does not, the plateau is not noise.

## References
- H. Robbins, S. Monro, "A Stochastic Approximation Method", 1951.
- L. Bottou, F. Curtis, J. Nocedal, "Optimization Methods for Large-Scale Machine Learning", SIAM Review, 2018.
- I. Loshchilov, F. Hutter, "SGDR: Stochastic Gradient Descent with Warm Restarts", ICLR 2017 (cosine decay).
- P. Izmailov et al., "Averaging Weights Leads to Wider Optima and Better Generalization", UAI 2018.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any

from ..edits import Edits
from ..edits.loops import backward_calls
from ..record import Run
from ..record.site import site_of
from ..record.values import number
from ..signs import Signs
from ..wording import num
from ._architecture import add_behind_optimizer
from ._base import Fix
from ._fixing import begin, fixed
from ._known import learning_rate, optimizer, optimizer_name, steps_per_epoch
from ._rivals import LOSS_FAULTS, NUMBER_FAULTS, SIGNAL_FAULTS, UPDATE_FAULTS
from ._settings import assigned_by_hand

ID = "lr-never-decays"
FAMILY = "learning-rate"
SETTLED_BY = ("lr",)
TITLE = "Learning rate never decays"
MEANS = "Late in training the loss hovers on a noise floor that only a decaying learning rate goes below."
FOR = {
    "late-noise-floor": 3.0,
    "gradients-oppose": 1.5,
    "step-overshoots": 1.5,
    "loss-plateau": 1.0,
    "lr-constant": 0.7,
}
AGAINST = {
    **UPDATE_FAULTS,
    **LOSS_FAULTS,
    **NUMBER_FAULTS,
    **SIGNAL_FAULTS,
    "lr-collapsed": 3.0,
    "lr-lowered": 5.0,
    "loss-diverged": 2.0,
    "loss-stuck": 2.0,
    "loss-oscillating": 1.0,
    "still-improving": 1.5,
    "loss-falling-slowly": 1.5,
    "gradients-agree": 2.0,
    "gradient-settled": 2.0,
    "update-ratio-low": 1.5,
    "validation-rising": 1.0,
    "loss-at-floor": 3.0,
    "noise-scale-large": 0.5,
    "saw-tooth": 1.0,
    "too-short": 1.0,
    "rate-above-usual": 1.5,
}
REQUIRES = ("late-noise-floor", "gradients-oppose")
AVOID = (
    "Do not train longer at the same learning rate: the floor does not depend on time.",
    "Do not start at the small learning rate: the descent would take many times longer.",
)
VERIFY = "From the last checkpoint, a few hundred steps at a tenth of the learning rate drop the loss visibly."
REFERENCE = "I. Loshchilov, F. Hutter, SGDR: Stochastic Gradient Descent with Warm Restarts, ICLR 2017"


def fix(run: Run, _signs: Signs) -> Fix:
    name = optimizer_name(run)
    old = learning_rate(run)
    epoch = steps_per_epoch(run)
    length = str(run.steps) if run.steps else "total_steps"
    if epoch and run.steps:
        planned = f"the {run.steps} steps of this run (an epoch has {epoch})"
    else:
        planned = f"the {run.steps} steps of this run" if run.steps else "the planned number of steps"
    code = (
        f"decay = torch.optim.lr_scheduler.CosineAnnealingLR({name}, T_max={length})\n"
        f"{name}.register_step_post_hook(lambda *_: decay.step())  # once after every {name}.step()"
    )
    edits = begin(run)
    idle = [
        entry
        for entry in run.entries("schedulers")
        if number(entry.get("steps")) == 0 and entry.get("class") != "ReduceLROnPlateau"
    ]
    if edits is not None and idle:
        _step_it(run, edits, idle[0])
    elif edits is not None and not run.entries("schedulers") and not assigned_by_hand(edits):
        add_behind_optimizer(run, edits, code, name)
    constant = f" from {num(old)}" if old else ""
    words = {
        "keras": f"keras.optimizers.schedules.CosineDecay({num(old or 1e-3)}, decay_steps={length})",
        "huggingface": 'TrainingArguments(..., lr_scheduler_type="cosine")',
        "lightning": 'return [opt], [{"scheduler": CosineAnnealingLR(opt, T_max=self.trainer.max_epochs)}]',
    }
    if idle and edits is not None and edits:
        summary = f"Step the scheduler after every epoch: {idle[0].get('class')} was made and never stepped."
        return fixed(run, summary, edits, code)
    summary = f"Let the learning rate fall{constant} to zero along a cosine over {planned}."
    return fixed(run, summary, edits, code, near=site_of(optimizer(run)), words=words)


def _step_it(run: Run, edits: Edits, scheduler: Mapping[str, Any]) -> None:
    """scheduler.step() behind the loop over batches, where a loop over epochs surrounds it."""
    made = edits.project.statements(scheduler.get("site"))
    for source, call in backward_calls(run, edits.project)[:1]:
        loops = source.loops_of(call)
        if len(made) == 1 and isinstance(made[0][1], ast.Assign) and made[0][0] is source and len(loops) == 2:
            edits.insert_after(source, loops[0], f"{ast.unparse(made[0][1].targets[0])}.step()")
