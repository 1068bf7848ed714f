"""Validation runs with dropout or batch statistics in training mode.

## What happens
Validation results are worse than they should be, vary from one evaluation to the next on the same weights, and
depend on the batch size and on which samples share a batch. With batch norm the evaluation also changes the model:
its running statistics take in validation data.

## Why
Dropout and normalisation have two behaviours, chosen by `module.training`. In training mode dropout masks
activations at random, so predictions carry noise of variance p/(1 − p) times the squared activation. Batch norm in
training mode normalises with the mean and variance of the batch at hand, so each prediction depends on its
neighbours; for a batch of one, or a batch of one class, those say little about the data. It also updates

    running ← (1 − momentum)·running + momentum·batch

with what it sees: validation data leak into the model's state.

`torch.no_grad()` does not change the mode, and `model.eval()` does not switch gradients off. Both are needed: one
for what the layers do, the other for memory and time.

## Signs
- Forward passes without gradients while dropout or norm layers are in training mode.
- Validation noisy, or worse than training, in a way that does not follow the weights.

## Fix
Switch before evaluating, and back before training.

```python
model.eval()
with torch.no_grad():
    for inputs, targets in validation_loader:
        ...
model.train()
```

## What not to do
- Do not leave the model in eval mode afterwards: that is the opposite fault.
- Do not take torch.no_grad() for eval mode: it does not change what layers do.
- Do not set dropout to 0 to get the same effect: batch norm stays in the wrong mode.
- Do not take eval mode for `torch.no_grad()` either: gradients are still recorded.

## Often confused with
- `overfitting`, `train-val-mismatch`: validation is bad in the right mode, too.
- `batchnorm-tiny-batch`: the mode is right, the running statistics are poor.
- Monte-Carlo dropout keeps dropout on in evaluation on purpose.

## Verify
Two evaluations of the same weights give the same number to the last digit, in any order and at any batch size.

## References
- PyTorch documentation, `torch.nn.Module.eval` and "Autograd mechanics: Evaluation Mode".
- S. Ioffe, C. Szegedy, "Batch Normalization: Accelerating Deep Network Training by Reducing Internal Covariate
  Shift", ICML 2015.
"""

import ast
from typing import Any

from ..edits import (
    Edits,
    Source,
    add_keyword,
    argument,
    backward_calls,
    first_statement,
    models_called,
    without_gradients,
)
from ..wording import listed
from ._fixing import Fix, Run, Signs, begin, fixed, said
from ._known import in_script_words, loader

FAMILY = "generalisation"
MISLEADS = "validation"
TITLE = "Validation runs in train mode (model.eval() missing)"
FOR = {"eval-in-train-mode": 6.0, "validation-gap": 0.5, "strong-dropout": 0.3}
REQUIRES = ("eval-in-train-mode",)

_PATTERN = """\
model.eval()
with torch.no_grad():
    for inputs, targets in validation_loader:
        outputs = model(inputs)
model.train()"""


def fix(run: Run, signs: Signs) -> Fix:
    modes = run.modes
    edits = begin(run)
    if dropping := modes.eval_forwards_dropping:
        site = modes.dropping_site
        _tell_mode(edits, site)
        summary = f"Pass training=self.training to F.dropout: it stayed on in {dropping:.0f} forwards in eval mode."
        return fixed(run, summary, edits, "F.dropout(x, p, training=self.training)", near=site)
    layers = sorted(set(modes.mode_layers))
    kinds = f" It matters for {listed(layers)}." if layers else ""
    # The evaluation's own loss call, or its loader, is the nearest line that the record knows.
    near = next((loss.site for loss in run.evaluation_losses if loss.site), None) or loader(run, "eval").site
    _switch(run, edits)
    summary = "Call model.eval() before the evaluation and model.train() after it."
    summary += said(signs, "eval-in-train-mode") + kinds
    return fixed(run, summary, edits, in_script_words(run, _PATTERN), near=near, safety="safe")


def _tell_mode(edits: Edits, site: Any) -> None:
    """One call that drops in eval mode was seen; others of the same class that say no more about it do the same."""
    for source, first in edits.project.calls_at(site, "dropout", "Dropout")[:1]:
        owner = source.class_of(first)
        calls = [node for node in ast.walk(owner) if isinstance(node, ast.Call)] if owner is not None else []
        for call in calls:
            same = source.segment(call.func) == source.segment(first.func)
            if same and argument(call, "training", "dropout") is None:
                add_keyword(edits, source, call, "training=self.training")


def _switch(run: Run, edits: Edits) -> None:
    """eval() where the evaluation begins; train() behind it, or before the training loop."""
    blocks = [
        (source, node, names[0])
        for source in edits.project.sources
        for node in source.walk(ast.With)
        if isinstance(node, ast.With) and without_gradients(item.context_expr for item in node.items)
        if (names := models_called(source, node))
    ]
    if len(blocks) == 1:
        source, block, name = blocks[0]
        edits.insert_before(source, block, f"{name}.eval()")
        edits.insert_after(source, block, f"{name}.train()")
        return
    evaluating = [
        (source, node, names[0])
        for source in edits.project.sources
        for node in source.walk(ast.FunctionDef)
        if isinstance(node, ast.FunctionDef) and without_gradients(node.decorator_list)
        if (names := _called(source, node))
    ]
    if blocks or len(evaluating) != 1:
        return
    source, function, name = evaluating[0]
    edits.insert_before(source, first_statement(function), f"{name}.eval()")
    if _trains_again(run, edits, function):
        return
    ends = [node for node in ast.walk(function) if isinstance(node, ast.Return)]
    last = function.body[-1]
    if not ends:
        edits.insert_after(source, last, f"{name}.train()")
    elif ends == [last] and name not in models_called(source, last):
        edits.insert_before(source, last, f"{name}.train()")
    else:
        edits.refuse()


def _trains_again(run: Run, edits: Edits, evaluating: ast.FunctionDef) -> bool:
    """Whether the script calls train() before every pass of training, not once before all of them."""
    calls = [(source, call) for source, call in edits.project.calls("train") if not call.args and not call.keywords]
    if any(source.loops_of(call) for source, call in calls):
        return True
    scored = [loop for source, call in edits.project.calls(evaluating.name) for loop in source.loops_of(call)]
    for source, backward in backward_calls(run, edits.project)[:1]:
        function, loops = source.function_of(backward), source.loops_of(backward)
        once_a_pass = function is not None and len(loops) <= 1 and not set(loops) & set(scored)
        return once_a_pass and any(where is source and where.function_of(call) is function for where, call in calls)
    return False


def _called(source: Source, function: ast.FunctionDef) -> list[str]:
    """Which of the function's parameters, or of the models that the file knows, it calls."""
    given = {argument.arg for argument in function.args.args if "model" in argument.arg or "net" in argument.arg}
    called = [n.func.id for n in ast.walk(function) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)]
    return models_called(source, function) or [name for name in dict.fromkeys(called) if name in given]
