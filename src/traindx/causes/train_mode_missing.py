"""Training runs in eval mode.

## What happens
Often the first epoch is right and everything after the first validation is not: `model.eval()` was called and never
undone. Dropout is off, so the model overfits more than its dropout suggests. Batch norm normalises with frozen
running statistics, which no longer fit the weights as these move; the loss may drift, jump at the switch, or
diverge.

## Why
In eval mode batch norm computes y = γ·(x − μ_run)/√(σ²_run + eps) + β with constants μ_run, σ²_run. In training
mode the statistics are those of the batch and gradients flow through them, which takes out of the gradient whatever
would only shift or scale the layer's input. With constants, neither happens: activations are free to drift away
from the stored statistics, and normalisation no longer limits their size. If eval mode was on from the very first
step, the constants are the initial 0 and 1, so the layer does not normalise at all.

## Signs
- Backward passes while dropout or norm layers have training=False.
- A change at the first step after the first validation.
- Overfitting in spite of strong dropout; running statistics that never change.

## Fix
Call `model.train()` at the start of every training epoch, not once before the loop.

```python
for epoch in range(epochs):
    model.train()
    for inputs, targets in loader:
        ...
    model.eval()
    with torch.no_grad():
        ...
```

## What not to do
- Do not add more dropout against the overfitting: it is switched off.
- Do not lower the learning rate against the drift.
- Do not override `train()` in a subclass without passing the call on to the children.

## Often confused with
- `overfitting`: dropout is on and validation still turns.
- `eval-mode-missing`: the opposite.
- Batch norm frozen on purpose while fine-tuning (small batches, a pretrained backbone) is healthy: dropout and new
  layers then still train in training mode.

## Verify
`assert model.training` inside the training loop passes at every step; the running statistics of batch norm change.

## References
- PyTorch documentation, `torch.nn.Module.train`.
- S. Ioffe, C. Szegedy, "Batch Normalization: Accelerating Deep Network Training by Reducing Internal Covariate
  Shift", ICML 2015.
- Y. Wu, J. Johnson, "Rethinking 'Batch' in BatchNorm", 2021.
"""

from __future__ import annotations

import ast

from ..edits.loops import (
    backward_calls,
    model_in_loop,
)
from ..record import Run
from ..record.site import site_of
from ..record.values import number
from ..signs import Signs
from ..wording import listed
from ._base import Fix
from ._fixing import begin, fixed
from ._known import in_script_words

ID = "train-mode-missing"
FAMILY = "generalisation"
TITLE = "Training runs in eval mode (model.train() missing)"
MEANS = (
    "Training runs in eval mode, often after the first validation, so dropout is off and norm statistics are frozen."
)
FOR = {
    "train-in-eval-mode": 6.0,
    "validation-rising": 0.5,
    "memorising": 0.3,
    "loss-diverged": 0.3,
    "activation-variance-grows": 0.3,
}
AGAINST = {"eval-in-train-mode": 1.5, "reinforcement-learning": 1.0}
REQUIRES = ("train-in-eval-mode",)
EXPLAINS = ("overfitting", "train-val-mismatch", "batchnorm-tiny-batch", "lr-too-high", "exploding-gradients")
AVOID = (
    "Do not add more dropout against the overfitting: it is switched off.",
    "Do not call model.train() only once before the loop: validation undoes it.",
)
VERIFY = "`assert model.training` inside the training loop passes at every step."
REFERENCE = "PyTorch documentation, torch.nn.Module.train"

_PATTERN = """\
for epoch in range(epochs):
    model.train()  # every epoch: validation switches it off
    for inputs, targets in loader:
        ..."""


def fix(run: Run, _signs: Signs) -> Fix:
    modes = run.fact("modes")
    wrong, total = number(modes.get("train_forwards_in_eval_mode")), number(modes.get("train_forwards"))
    first = number(modes.get("first_eval_mode_step"))
    since = f", the first at step {first:.0f}" if first is not None else ""
    count = (
        f" {wrong:.0f} of the {total:.0f} training forwards checked ran in eval mode{since}." if wrong and total else ""
    )
    held = modes.get("train_off")
    off = [str(name) for name in held] if isinstance(held, list) else []
    names = f" Switched off: {listed(off)}." if off else ""
    changed = next(iter(run.events_of("mode-changed")), None)
    near = site_of(changed.data) if changed else None
    edits = begin(run)
    for source, call in backward_calls(run, edits.project)[:1] if edits is not None else []:
        name = model_in_loop(source, call)
        loops = source.loops_of(call)
        if edits is not None and name and loops:
            edits.insert_before(source, loops[0], f"{name}.train()")
        elif edits is not None and name:
            function = source.function_of(call)
            body = getattr(function, "body", [])
            if isinstance(function, ast.FunctionDef) and body:
                edits.insert_before(
                    source,
                    body[1]
                    if len(body) > 1 and isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant)
                    else body[0],
                    f"{name}.train()",
                )
    summary = f"Call model.train() before every training epoch.{count}{names}"
    return fixed(run, summary, edits, in_script_words(run, _PATTERN), near=near)
