"""The first steps at the full learning rate damage the model; a ramp to the same learning rate trains well, and better
than a smaller constant one.

## What happens
In the first tens to hundreds of steps the loss shoots up, or gradients spike, and then training settles: worse than
it could be, or not at all. A smaller constant learning rate avoids the spike but ends worse than a ramp to the full
learning rate.

## Why
Adam divides by the root of v, a running mean of squared gradients. After t steps v rests on about t samples; bias
correction, v/(1 − β₂ᵗ), makes its mean right but not its variance. With β₂ = 0.999 the estimate only settles after
some 1/(1 − β₂) = 1000 steps, and before that single coordinates take steps of up to lr however noisy their
gradient. At the same time a fresh network sits in a region of high curvature λ, where steps are stable only below
2/λ; curvature usually falls during the first steps if those are small. Large batches, attention and layer norm make
both effects stronger, and a learning rate scaled up with the batch (the linear scaling rule) makes the first step
longer.

A linear ramp over w steps keeps the early, badly informed steps short and costs nothing later.

## Signs
- The loss rises well above its start, or norms spike, within the first steps only.
- Large updates at the start that become ordinary by themselves.
- Constant or immediately full learning rate; an adaptive optimizer, a large batch, attention or normalisation
  layers.

## Fix
Ramp the learning rate linearly from almost nothing over about 2/(1 − β₂) steps, at most a tenth of the run. Call
the scheduler once after each optimizer step, not once per epoch.

```python
warmup = torch.optim.lr_scheduler.LinearLR(optimizer, start_factor=0.01, total_iters=500)
decay = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=total_steps - 500)
scheduler = torch.optim.lr_scheduler.SequentialLR(optimizer, [warmup, decay], milestones=[500])
```

## What not to do
- Do not lower the learning rate for the whole run to survive its first hundred steps.
- Do not step a per-step warmup once per epoch: it would take the whole run.
- Do not clip hard for ever because of the first steps.

## Often confused with
- `lr-too-high`: unstable at any time, also after a ramp.
- `init-too-large`: the loss is out of range before the first step.
- `bad-batch`: spikes recur with the epoch.
- `exploding-gradients`: enormous norms come at any time.
- `optimizer-misconfigured`: β₂ or eps is odd, which a ramp only delays.

## Verify
With the ramp, the same peak learning rate gives no early rise, and at equal steps the loss is lower than with a
smaller constant learning rate.

If the spike merely moves to the end of the ramp, the peak learning rate itself is too high.

## References
- J. Ma, D. Yarats, "On the Adequacy of Untuned Warmup for Adaptive Optimization", AAAI 2021.
- P. Goyal et al., "Accurate, Large Minibatch SGD: Training ImageNet in 1 Hour", 2017.
- L. Liu et al., "On the Variance of the Adaptive Learning Rate and Beyond", ICLR 2020 (RAdam).
- R. Xiong et al., "On Layer Normalization in the Transformer Architecture", ICML 2020.
"""

import ast

from ..edits import Edits, Source, callee
from ..wording import num, round_figure
from ._fixing import Fix, Run, Signs, begin, fixed
from ._frameworks import words
from ._known import adaptive, betas, learning_rate, optimizer, optimizer_name
from ._settings import add_behind_optimizer, assigned_by_hand, set_in_constructor

FAMILY = "learning-rate"
SETTLED_BY = ("lr",)
TITLE = "Learning rate warmup missing"
FOR = {
    "early-instability": 3.0, "update-ratio-high": 0.5, "gradients-spiking": 0.5, "batch-size-large": 0.5,
    "loss-spike": 0.3, "dead-units": 0.5,
}  # fmt: skip
REQUIRES = ("early-instability",)

LARGEST_SHARE = 0.1  # a ramp longer than a tenth of the run costs more than it protects
DEFAULT_STEPS = 500


def fix(run: Run, _signs: Signs) -> Fix:
    steps, reason = _length(run)
    name, peak = optimizer_name(run), learning_rate(run)
    to = f" to {num(peak)}" if peak else ""
    code = (
        f"warmup = torch.optim.lr_scheduler.LinearLR({name}, start_factor=0.01, total_iters={steps})\n"
        f"{name}.register_step_post_hook(lambda *_: warmup.step())  # once after every {name}.step()"
    )
    edits = begin(run)
    written = set_in_constructor(run, edits, "warmup_steps", str(steps)) or _existing_setting(edits, str(steps))
    if not written and not run.schedulers and not assigned_by_hand(edits):
        add_behind_optimizer(run, edits, code, name)
    summary = f"Ramp the learning rate up{to} over the first {steps} steps ({reason})."
    said, sets = words("warmup", peak=num(peak or 1e-3), steps=steps), {"warmup_steps": steps}
    return fixed(run, summary, edits, code, near=optimizer(run), words=said, sets=sets)


def _existing_setting(edits: Edits, steps: str) -> bool:
    """Sets the script's own warmup length where it is zero."""
    places: list[tuple[Source, ast.expr]] = []
    for source in edits.project.sources:
        for node in source.walk(ast.Call, ast.Assign, ast.keyword):
            if isinstance(node, ast.Call) and callee(node) == "add_argument" and "warm" in source.segment(node):
                places += [(source, k.value) for k in node.keywords if k.arg == "default"]
            elif (isinstance(node, ast.Assign) and "warm" in source.segment(node.targets[0]).lower()) or (
                isinstance(node, ast.keyword) and "warm" in (node.arg or "")
            ):
                places.append((source, node.value))
    zero = [(s, v) for s, v in places if isinstance(v, ast.Constant) and v.value == 0]
    if len(zero) == 1:
        edits.replace(*zero[0], steps)
    return len(zero) == 1


def _length(run: Run) -> tuple[int, str]:
    """How long to warm up, and why that long."""
    wanted, reason = float(DEFAULT_STEPS), "a usual length; 2/(1 - beta2) for Adam"
    beta2 = (betas(run) or (0.0, 0.0))[1]
    if 0 < beta2 < 1 and adaptive(run):
        wanted, reason = 2 / (1 - beta2), f"2/(1 - beta2) with beta2={beta2:g}"
    if run.steps and wanted > LARGEST_SHARE * run.steps:
        wanted, reason = LARGEST_SHARE * run.steps, f"about a tenth of the run's {run.steps} steps"
    return max(1, round(round_figure(wanted))), reason
