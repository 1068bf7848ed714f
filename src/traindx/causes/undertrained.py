"""The loss was still decreasing when the run ended.

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
- Do not resume without the optimizer's state (Adam restarts its averages and the loss jumps), nor at a learning rate
  that has decayed to zero.
- Do not resume without the optimizer's state: Adam restarts its averages and the loss jumps.

## Often confused with
- `lr-too-low`: falling too, at a pace that would take many times the run; gradients parallel, updates tiny.
- `batch-too-large`: too few updates per epoch rather than too few epochs.
- `lr-decays-too-soon`: the schedule ended the learning, not the run.
- `overfitting`: training falls, validation has turned.

## Verify
The continued run lowers validation loss further; stop when the slope is within its noise.

## References
- J. Hestness et al., "Deep Learning Scaling is Predictable, Empirically", 2017.
- J. Hoffmann et al., "Training Compute-Optimal Large Language Models", NeurIPS 2022.
- I. Goodfellow, Y. Bengio, A. Courville, "Deep Learning", MIT Press 2016, section 7.8 (early stopping).
"""

import ast

from ..edits import Edits, Literal, backward_calls, callee, origin, value_of
from ..wording import counted
from ._fixing import Fix, Run, Signs, begin, fixed, said
from ._frameworks import words
from ._known import in_script_words, steps_per_epoch
from ._settings import set_in_constructor

FAMILY = "generalisation"
GAINS = True
TITLE = "Undertrained: the run stopped too early"
FOR = {
    "much-to-gain": 4.0, "still-improving": 1.0, "validation-still-improving": 1.0, "few-updates-per-epoch": 0.3,
    "few-updates": 2.0,
}  # fmt: skip
REQUIRES = ("much-to-gain", "few-updates")

LONGER = 4  # times the present length: doubling a run that has just begun would end it just as early
_PATTERN = """\
state = torch.load("last.pt")
model.load_state_dict(state["model"])
optimizer.load_state_dict(state["optimizer"])
for epoch in range(epochs_done, {epochs}):
    ...  # as before"""


def fix(run: Run, signs: Signs) -> Fix:
    epoch = steps_per_epoch(run)
    epochs = max(1, round(run.steps / epoch)) if epoch and run.steps else None
    made = [counted(epochs, "epoch")] if epochs else []
    made += [counted(run.steps, "step")] if run.steps else []
    length = f" (so far: {', '.join(made)})" if made else ""
    edits = begin(run)
    target = LONGER * epochs if epochs else f"{LONGER} * epochs_done"
    if not epochs or not set_in_constructor(run, edits, "epochs", str(target)):
        _longer(run, edits)
    code = in_script_words(run, _PATTERN.format(epochs=target))
    summary = f"Train about {LONGER} times as long{length}, and stretch the schedule to match."
    summary += said(signs, "much-to-gain")
    return fixed(run, summary, edits, code, safety="costly", words=words("longer", epochs=target))


def _longer(run: Run, edits: Edits) -> None:
    """The number of rounds of the outermost loop around training, where it is written as a number."""
    for source, call in backward_calls(run, edits.project)[:1]:
        loops, function = source.loops_of(call), source.function_of(call)
        while not loops and isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
            callers = [(s, c) for s, c in edits.project.calls(function.name) if s.function_of(c) is not function]
            if len(callers) != 1:
                return
            source, where = callers[0]
            loops, function = source.loops_of(where), source.function_of(where)
        head = loops[-1].iter if loops and isinstance(loops[-1], ast.For) else None
        calls = [node for node in ast.walk(head) if isinstance(node, ast.Call)] if head is not None else []
        ranges = [node for node in calls if callee(node) in ("range", "trange") and len(node.args) in (1, 2)]
        place = origin(edits.project, source, ranges[0].args[-1]) if len(ranges) == 1 else None
        rounds = value_of(place.node) if isinstance(place, Literal) else None
        if isinstance(place, Literal) and rounds:
            edits.replace(place.source, place.node, str(int(LONGER * rounds)))
