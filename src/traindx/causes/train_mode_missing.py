"""Training runs in eval mode, often after the first validation, so dropout is off and norm statistics are frozen.

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
- Do not call model.train() only once before the loop: validation undoes it.
- Do not lower the learning rate against the drift.
- Do not override `train()` in a subclass without passing the call on to the children.

## Often confused with
- `overfitting`: dropout is on and validation still turns.
- `eval-mode-missing`: the opposite.
- Batch norm frozen on purpose while fine-tuning (small batches, a pretrained backbone) is healthy: dropout and new
  layers then still train in training mode.

## Verify
Inside the training loop `assert model.training` passes at every step, and the running statistics of batch norm change.

## References
- PyTorch documentation, `torch.nn.Module.train`.
- S. Ioffe, C. Szegedy, "Batch Normalization: Accelerating Deep Network Training by Reducing Internal Covariate
  Shift", ICML 2015.
- Y. Wu, J. Johnson, "Rethinking 'Batch' in BatchNorm", 2021.
"""

import ast

from ..edits import backward_calls, first_statement, model_in_loop
from ..wording import listed
from ._fixing import Fix, Run, Signs, begin, fixed, said
from ._known import in_script_words

FAMILY = "generalisation"
TITLE = "Training runs in eval mode (model.train() missing)"
FOR = {
    "train-in-eval-mode": 6.0, "validation-rising": 0.5, "memorising": 0.3, "loss-diverged": 0.3,
    "activation-variance-grows": 0.3,
}  # fmt: skip
REQUIRES = ("train-in-eval-mode",)

_PATTERN = """\
for epoch in range(epochs):
    model.train()  # every epoch: validation switches it off
    for inputs, targets in loader:
        ..."""


def fix(run: Run, signs: Signs) -> Fix:
    changed = next(iter(run.events_of("mode-changed")), None)
    edits = begin(run)
    for source, call in backward_calls(run, edits.project)[:1]:
        name, loops = model_in_loop(source, call), source.loops_of(call)
        function = source.function_of(call)
        if name and loops:
            edits.insert_before(source, loops[0], f"{name}.train()")
        elif name and isinstance(function, ast.FunctionDef):
            edits.insert_before(source, first_statement(function), f"{name}.train()")
    off = run.modes.train_off
    summary = f"Call model.train() before every training epoch.{said(signs, 'train-in-eval-mode')}"
    summary += f" Switched off: {listed(off)}." if off else ""
    return fixed(run, summary, edits, in_script_words(run, _PATTERN), near=changed.details if changed else None)
