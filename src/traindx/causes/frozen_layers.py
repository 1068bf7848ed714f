"""Layers that still have to learn are frozen (requires_grad=False); a pretrained backbone frozen on purpose is healthy.

## What happens
The loss barely moves, or settles at what the few trainable layers can do on top of random features. Memory and time
per step are suspiciously low. In the extreme case backward fails, because nothing at all requires a gradient.

## Why
`requires_grad=False` tells autograd to compute no gradient for a parameter. For a pretrained backbone that is the
point: its features are useful already and a small head is trained on top. For a layer with fresh random weights it
means a fixed random projection. The layers above get its output and cannot repair what it threw away; a frozen
random output layer even dictates which directions in feature space mean which class.

Typical ways to get there: freezing in a loop over `model.parameters()` *after* the new head was attached, freezing
by a name pattern that matches more than was meant, loading no weights although the freeze assumed them (a failed or
`strict=False` load), or forgetting to unfreeze for the second stage.

## Signs
- requires_grad is False on a freshly initialised layer, or on most weights of a model that loaded nothing.
- Those parameters never move; the optimizer may hold them all the same.
- Training at chance or flat at a poor level, with healthy gradients where there are any.

## Fix
Freeze what was loaded and nothing else; attach the new head afterwards.

```python
for parameter in model.backbone.parameters():
    parameter.requires_grad_(False)
model.head = nn.Linear(512, 10)                  # new layers require grad by default
```

To unfreeze: `for parameter in layer.parameters(): parameter.requires_grad_(True)`; make the optimizer after that,
or add the parameters to it.

## What not to do
- Do not unfreeze a pretrained backbone without reason: with few samples it may overfit, and it needs a smaller
  learning rate.
- Do not use `torch.no_grad()` around the whole forward to freeze a part: it cuts the trainable part off as well.
- Do not put frozen parameters into the optimizer and hope: without a gradient they are skipped.

## Often confused with
- `params-not-in-optimizer`: gradients exist, the optimizer ignores them.
- `detached-graph`: requires_grad is True and the gradient never arrives.
- `model-too-small`: everything learns and it is not enough.
- `vanishing-gradients`: early layers get gradients, tiny ones.

## Verify
Every layer that must learn requires grad and has moved after a few steps, and the loss leaves its level.

List what is trainable before the run: `[name for name, p in model.named_parameters() if p.requires_grad]`.

## References
- PyTorch tutorial, "Transfer Learning for Computer Vision" (fixed feature extractor).
- PyTorch documentation, "Autograd mechanics: Locally disabling gradient computation".
- J. Yosinski et al., "How transferable are features in deep neural networks?", NeurIPS 2014.
"""

import ast

from ..edits import Edits, callee
from ..wording import counted, listed
from ._fixing import Fix, Run, Signs, begin, fixed, said
from ._known import optimizer

FAMILY = "optimizer"
TITLE = "Untrained layers are frozen (requires_grad=False)"
FOR = {
    "fresh-layers-frozen": 6.0, "params-never-move": 1.0, "one-batch-not-learnt": 0.7, "loss-stuck": 0.5,
    "training-at-chance": 0.5, "loss-plateau": 0.3, "crash-no-graph": 1.0,
}  # fmt: skip
REQUIRES = ("fresh-layers-frozen",)
EXPLAINS = ("detached-graph",)

_PATTERN = """\
for parameter in layer.parameters():  # before the optimizer is made
    parameter.requires_grad_(True)"""


def fix(run: Run, signs: Signs) -> Fix:
    frozen = [entry for entry in run.parameters if entry.trains is False]
    names = [entry.name for entry in frozen if not entry.loaded]
    if not names:
        return fixed(run, "Let every layer that was not pretrained require gradients again.", None, _PATTERN)
    edits = begin(run)
    if not any(entry.loaded for entry in frozen):
        _unfreeze(edits)
    summary = f"Unfreeze the {counted(len(names), 'parameter')} that were never trained: {listed(names)}."
    return fixed(run, summary + said(signs, "fresh-layers-frozen"), edits, _PATTERN, near=optimizer(run))


def _unfreeze(edits: Edits) -> None:
    """The statements that freeze: `.requires_grad = False` and `.requires_grad_(False)`."""
    for source in edits.project.sources:
        for node in source.walk(ast.Assign, ast.Call):
            value: ast.expr | None = None
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Attribute):
                value = node.value if node.targets[0].attr == "requires_grad" else None
            elif isinstance(node, ast.Call) and callee(node) == "requires_grad_" and node.args:
                value = node.args[0]
            if isinstance(value, ast.Constant) and value.value is False:
                edits.replace(source, value, "True")
