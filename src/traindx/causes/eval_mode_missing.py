"""Validation runs in training mode.

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
- Do not set dropout to 0 to get the same effect: batch norm stays in the wrong mode.
- Do not use it instead of `torch.no_grad()`.

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

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Any

from ..edits import Edits, Source
from ..edits.arguments import add_keyword, argument
from ..edits.loops import backward_calls, model_in_loop, models_called
from ..edits.source import callee
from ..record import Run
from ..record.site import site_of
from ..record.values import number
from ..signs import Signs
from ..wording import listed
from ._base import Fix
from ._fixing import begin, fixed
from ._known import in_script_words

ID = "eval-mode-missing"
FAMILY = "generalisation"
MISLEADS = "validation"
TITLE = "Validation runs in train mode (model.eval() missing)"
MEANS = "Validation runs with dropout or batch statistics in training mode."
FOR = {"eval-in-train-mode": 6.0, "validation-gap": 0.5, "strong-dropout": 0.3}
AGAINST = {"train-in-eval-mode": 2.0, "reinforcement-learning": 1.0}
REQUIRES = ("eval-in-train-mode",)
EXPLAINS = ("overfitting", "train-val-mismatch", "batchnorm-tiny-batch", "over-regularized")
AVOID = (
    "Do not leave the model in eval mode afterwards: that is the opposite fault.",
    "Do not take torch.no_grad() for eval mode: it does not change what layers do.",
)
VERIFY = "Two evaluations of the same weights give the same number, at any batch size."
REFERENCE = "PyTorch documentation, Autograd mechanics: Evaluation Mode"

_PATTERN = """\
model.eval()
with torch.no_grad():
    for inputs, targets in validation_loader:
        outputs = model(inputs)
model.train()"""


def fix(run: Run, _signs: Signs) -> Fix:
    modes = run.fact("modes")
    dropping = number(modes.get("eval_forwards_dropping"))
    edits = begin(run)
    if dropping:
        site = modes.get("dropping_site")
        if edits is not None:
            _tell_mode(edits, site)
        summary = f"Pass training=self.training to F.dropout: it stayed on in {dropping:.0f} forwards in eval mode."
        return fixed(run, summary, edits, "F.dropout(x, p, training=self.training)", near=site_of({"site": site}))
    wrong, total = number(modes.get("eval_forwards_in_train_mode")), number(modes.get("eval_forwards"))
    count = ""
    if wrong and total:
        share = f"All {total:.0f}" if wrong == total else f"{wrong:.0f} of the {total:.0f}"
        count = f" {share} evaluation forwards checked ran in train mode."
    held = modes.get("mode_layers")
    layers = sorted({str(layer) for layer in held}) if isinstance(held, list) else []
    kinds = f" It matters for {listed(layers)}." if layers else ""
    # The evaluation's own loss call, or its loader, is the nearest line that the record knows.
    seen = [entry for entry in run.entries("losses") if entry.get("phase") == "eval"]
    seen += [entry for entry in run.entries("loaders") if entry.get("role") == "eval"]
    near = next((site for site in map(site_of, seen) if site), None)
    if edits is not None:
        _switch(run, edits)
    summary = f"Call model.eval() before the evaluation and model.train() after it.{count}{kinds}"
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
        (source, node)
        for source in edits.project.sources
        for node in source.walk(ast.With)
        if isinstance(node, ast.With) and _without_gradients(item.context_expr for item in node.items)
    ]
    blocks = [(source, block) for source, block in blocks if models_called(source, block)]
    if len(blocks) == 1:
        source, block = blocks[0]
        name = models_called(source, block)[0]
        edits.insert_before(source, block, f"{name}.eval()")
        edits.insert_after(source, block, f"{name}.train()")
        return
    functions = [
        (source, node)
        for source in edits.project.sources
        for node in ast.walk(source.tree)
        if isinstance(node, ast.FunctionDef) and _without_gradients(node.decorator_list)
    ]
    evaluating = [(s, f, names) for s, f in functions if (names := _called(s, f))]
    if blocks or len(evaluating) != 1:
        return
    source, function, names = evaluating[0]
    edits.insert_before(source, function.body[0], f"{names[0]}.eval()")
    if not edits.project.calls("train"):
        for where, call in backward_calls(run, edits.project)[:1]:
            loops, trained = where.loops_of(call), model_in_loop(where, call)
            if loops and trained:
                edits.insert_before(where, loops[0], f"{trained}.train()")
            else:
                edits.refuse()


def _without_gradients(expressions: Iterable[ast.expr]) -> bool:
    return any(callee(expression) in ("no_grad", "inference_mode") for expression in expressions)


def _called(source: Source, function: ast.FunctionDef) -> list[str]:
    """Which of the function's parameters, or of the models that the file knows, it calls."""
    known = models_called(source, function)
    given = {argument.arg for argument in function.args.args if "model" in argument.arg or "net" in argument.arg}
    called = [n.func.id for n in ast.walk(function) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)]
    return known or [name for name in dict.fromkeys(called) if name in given]
