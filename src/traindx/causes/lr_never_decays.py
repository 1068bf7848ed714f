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
- Do not just train longer at the same learning rate: the floor does not depend on time.
- Do not start at the small learning rate: the descent would take many times longer.
- Do not enlarge the model because the loss is flat.

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
- I. Loshchilov, F. Hutter, "SGDR: Stochastic Gradient Descent with Warm Restarts", ICLR 2017 (cosine decay).
- H. Robbins, S. Monro, "A Stochastic Approximation Method", 1951.
- L. Bottou, F. Curtis, J. Nocedal, "Optimization Methods for Large-Scale Machine Learning", SIAM Review, 2018.
- P. Izmailov et al., "Averaging Weights Leads to Wider Optima and Better Generalization", UAI 2018.
"""

from ..edits import backward_calls
from ..wording import num
from ._fixing import Fix, Run, Signs, assigned_at, begin, fixed
from ._frameworks import words
from ._known import learning_rate, optimizer, optimizer_name, steps_per_epoch
from ._settings import add_behind_optimizer, assigned_by_hand

FAMILY = "learning-rate"
SETTLED_BY = ("lr",)
TITLE = "Learning rate never decays"
FOR = {
    "late-noise-floor": 3.0, "gradients-oppose": 1.5, "step-overshoots": 1.5, "loss-plateau": 1.0, "lr-constant": 0.7,
}  # fmt: skip
REQUIRES = ("late-noise-floor", "gradients-oppose")


def fix(run: Run, _signs: Signs) -> Fix:
    name, old, epoch = optimizer_name(run), learning_rate(run), steps_per_epoch(run)
    length = str(run.steps) if run.steps else "total_steps"
    planned = f"the {run.steps} steps of this run" if run.steps else "the planned number of steps"
    planned += f" (an epoch has {epoch})" if epoch and run.steps else ""
    code = (
        f"decay = torch.optim.lr_scheduler.CosineAnnealingLR({name}, T_max={length})\n"
        f"{name}.register_step_post_hook(lambda *_: decay.step())  # once after every {name}.step()"
    )
    edits, schedulers = begin(run), run.schedulers
    # ReduceLROnPlateau may have had no reason to.
    idle = [s for s in schedulers if s.steps == 0 and s.class_name != "ReduceLROnPlateau"]
    if idle:
        for source, call in backward_calls(run, edits.project)[:1]:
            loops, stepped = source.loops_of(call), assigned_at(edits, idle[0])
            if len(loops) == 2 and stepped:
                edits.insert_after(source, loops[0], f"{stepped}.step()")
        if edits:
            summary = f"Step the scheduler after every epoch: {idle[0].class_name} was made and never stepped."
            return fixed(run, summary, edits, code)
    elif not schedulers and not assigned_by_hand(edits):
        add_behind_optimizer(run, edits, code, name)
    constant = f" from {num(old)}" if old else ""
    summary = f"Let the learning rate fall{constant} to zero along a cosine over {planned}."
    said = words("decay", peak=num(old or 1e-3), steps=length)
    return fixed(run, summary, edits, code, near=optimizer(run), words=said)
