"""The run ended while it was still learning at a useful pace.

## What happens
The loss is still falling, significantly, when the run ends. Training and validation fall together. Nothing is
wrong; there is just not enough of it.

## Why
Loss curves of healthy runs often follow a power law, L(t) ≈ L∞ + c·t^(−a) with a around 0.1 to 1: most of the fall
comes early, and a long, useful tail follows. On a linear axis the tail looks flat. On a logarithmic axis it is a
straight line, which shows what twice the steps would bring: the excess loss falls by the factor 2^(−a).

Whether the slope at the end is real is a question of statistics. Fit a line to the last stretch and compare its
fall with the standard error of the slope, taking into account that neighbouring points are correlated. With a
schedule that ends at zero the slope dies with the learning rate, so a flat end then says nothing: only a run
planned longer would tell.

## Signs
- The slope over the last stretch is significant against its noise.
- A few dozen updates in all, each of ordinary size.
- No gap between training and validation, or none that grows.
- Learning rate not at zero, gradients healthy, updates of ordinary size.

## Fix
Resume from the last checkpoint, with optimizer and scheduler state, and stretch the schedule over the longer run.

```python
state = torch.load("last.pt")
model.load_state_dict(state["model"])
optimizer.load_state_dict(state["optimizer"])
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=remaining_steps)
```

## What not to do
- Do not add epochs to a curve that is flat, noisy, or falling a hundred times too slowly: find out why first.
- Do not resume without the optimizer's state: Adam restarts its averages and the loss jumps.
- Do not resume at a learning rate that has decayed to zero.

## Often confused with
- `lr-too-low`: falling too, at a pace that would take many times the run; gradients parallel, updates tiny.
- `batch-too-large`: too few updates per epoch rather than too few epochs.
- `lr-decays-too-soon`: the schedule ended the learning, not the run.
- `overfitting`: training falls, validation has turned.

## Verify
The continued run lowers validation loss as the extrapolated tail said it would. Stop when the slope is within its
noise.

## References
- J. Hestness et al., "Deep Learning Scaling is Predictable, Empirically", 2017.
- J. Hoffmann et al., "Training Compute-Optimal Large Language Models", NeurIPS 2022.
- I. Goodfellow, Y. Bengio, A. Courville, "Deep Learning", MIT Press 2016, section 7.8 (early stopping).
"""

from __future__ import annotations

import ast

import numpy as np

from ..edits import Edits
from ..edits.loops import (
    backward_calls,
)
from ..edits.source import callee
from ..edits.values import Literal, origin
from ..record import Run
from ..record.values import number
from ..signs import Signs
from ..wording import counted, num
from ._base import Fix
from ._fixing import begin, fixed
from ._known import in_script_words, steps_per_epoch
from ._rivals import LOSS_FAULTS, NUMBER_FAULTS, UPDATE_FAULTS

ID = "undertrained"
FAMILY = "generalisation"
GAINS = True
TITLE = "Undertrained: the run stopped too early"
MEANS = "The loss was still decreasing when the run ended."
FOR = {
    "much-to-gain": 4.0,
    "still-improving": 1.0,
    "validation-still-improving": 1.0,
    "few-updates-per-epoch": 0.3,
    "few-updates": 2.0,
}
AGAINST = {
    **UPDATE_FAULTS,
    **LOSS_FAULTS,
    **NUMBER_FAULTS,
    "loss-falling-slowly": 1.5,
    "update-ratio-low": 1.5,
    "lr-collapsed": 2.0,
    "loss-plateau": 2.5,
    "loss-stuck": 3.0,
    "loss-diverged": 3.0,
    "loss-oscillating": 2.0,
    "loss-not-finite": 4.0,
    "validation-rising": 3.0,
    "validation-at-chance": 2.0,
    "validation-gap": 1.5,
    "generalisation-gap": 1.0,
    "loss-negative-unbounded": 2.0,
    "batch-size-large": 0.7,
    "loss-at-floor": 2.5,
    "clip-far-below-norm": 1.5,
    "memorising": 1.0,
    "rate-below-usual": 1.0,
}
REQUIRES = ("much-to-gain", "few-updates")
AVOID = (
    "Do not add epochs to a curve that is flat, noisy or falling a hundred times too slowly: find out why first.",
    "Do not resume without the optimizer's state, nor at a learning rate that has decayed to zero.",
)
VERIFY = "The continued run lowers validation loss further; stop when the slope is within its noise."
REFERENCE = "J. Hestness et al., Deep Learning Scaling is Predictable, Empirically, 2017"

LONGER = 4  # times the present length: doubling a run that has just begun would end it just as early
_PATTERN = """\
state = torch.load("last.pt")
model.load_state_dict(state["model"])
optimizer.load_state_dict(state["optimizer"])
for epoch in range(epochs_done, {epochs}):
    ...  # as before"""


def fix(run: Run, _signs: Signs) -> Fix:
    epoch = steps_per_epoch(run)
    epochs = max(1, round(run.steps / epoch)) if epoch and run.steps else None
    made = [counted(epochs, "epoch")] if epochs else []
    made += [counted(run.steps, "step")] if run.steps else []
    length = f" (so far: {', '.join(made)})" if made else ""
    edits = begin(run)
    if edits is not None:
        _longer(run, edits)
    target = LONGER * epochs if epochs else f"{LONGER} * epochs_done"
    words = {
        "keras": f"model.fit(..., epochs={target}, initial_epoch=epochs_done)",
        "huggingface": (
            f"TrainingArguments(..., num_train_epochs={target})\ntrainer.train(resume_from_checkpoint=True)"
        ),
        "lightning": f'Trainer(max_epochs={target}); trainer.fit(model, ckpt_path="last")',
    }
    code = in_script_words(run, _PATTERN.format(epochs=target))
    summary = f"Train about {LONGER} times as long{length}, and stretch the schedule to match.{_gain(run)}"
    return fixed(run, summary, edits, code, safety="costly", words=words)


def _longer(run: Run, edits: Edits) -> None:
    """The number of rounds of the outermost loop around training, where it is written as a number."""
    for source, call in backward_calls(run, edits.project)[:1]:
        loops = source.loops_of(call)
        function = source.function_of(call)
        while not loops and isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
            callers = [(s, c) for s, c in edits.project.calls(function.name) if s.function_of(c) is not function]
            if len(callers) != 1:
                return
            source, where = callers[0]
            loops, function = source.loops_of(where), source.function_of(where)
        outer = loops[-1] if loops else None
        head = outer.iter if isinstance(outer, ast.For) else None
        ranges = (
            [n for n in ast.walk(head) if callee(n) in ("range", "trange") and isinstance(n, ast.Call)] if head else []
        )
        if len(ranges) == 1 and len(ranges[0].args) in (1, 2):
            end = ranges[0].args[-1]
            place = origin(edits.project, source, end)
            rounds = (
                number(place.node.value)
                if isinstance(place, Literal) and isinstance(place.node, ast.Constant)
                else None
            )
            if isinstance(place, Literal) and rounds:
                edits.replace(place.source, place.node, str(int(LONGER * rounds)))


def _gain(run: Run) -> str:
    """What the last quarter of the run still brought."""
    curve = run.series("loss/train").finite
    if len(curve) < 8:
        return ""
    quarter = len(curve) // 4
    before, last = np.median(curve.values[-2 * quarter : -quarter]), np.median(curve.values[-quarter:])
    return f" The last quarter took the loss from {num(float(before))} to {num(float(last))}." if last < before else ""
