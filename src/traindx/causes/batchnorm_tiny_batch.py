"""Batch norm sees too few samples for usable statistics, so training and evaluation behave differently.

## What happens
Training looks passable; evaluation is far worse, or jumps from one evaluation to the next. With one sample per batch
and no spatial extent, PyTorch refuses outright ("Expected more than 1 value per channel when training").

## Why
Batch norm estimates the mean and the variance of each channel from B·H·W values: B samples, H·W positions. The
mean's standard error is σ/√n for n independent values, the variance's relative error about √(2/(n − 1)). For fully
connected layers n = B. At B = 2 each normalised value is ±1, whatever the input was; at B = 4 the error of the
variance is some 80 %. So in training every sample is seen through its neighbours' noise, and gradients carry it
too. In evaluation the running averages take over: another, smoother function than the one that was trained.
Positions within an image are strongly correlated, so a large H·W helps less than its size suggests.

## Signs
- Batch norm layers with batches of about 1 to 4, or a last batch of such a size.
- Loss of the same data in train mode and in eval mode differs widely.
- Validation noisy although the training loss is calm.

## Fix
Use a normalisation that does not look across the batch, or give it a larger one.

```python
nn.GroupNorm(num_groups=32, num_channels=channels)      # instead of nn.BatchNorm2d(channels)
nn.LayerNorm(features)                                  # instead of nn.BatchNorm1d(features)
model = nn.SyncBatchNorm.convert_sync_batchnorm(model)  # several devices with few samples each
loader = DataLoader(dataset, batch_size=32, shuffle=True, drop_last=True)
```

## What not to do
- Do not try gradient accumulation: the statistics still come from the micro-batch.
- Do not evaluate in training mode because the numbers look better: then predictions depend on their neighbours.
- Do not lower the momentum of the running averages alone: the train-mode noise stays.

## Often confused with
- `eval-mode-missing`: the wrong mode, at any batch size.
- `batch-too-small`: gradient noise without normalisation; no difference between the modes.
- `overfitting`: the gap grows with time and is there without batch norm.
- `train-val-mismatch`: the gap persists when training data are evaluated in training mode.

## Verify
The loss of the same training batch agrees in train and eval mode to within a few percent after some hundred steps.

## References
- Y. Wu, K. He, "Group Normalization", ECCV 2018.
- S. Ioffe, "Batch Renormalization: Towards Reducing Minibatch Dependence in Batch-Normalized Models", NeurIPS 2017.
- Y. Wu, J. Johnson, "Rethinking 'Batch' in BatchNorm", 2021.
"""

import ast

from ..edits import Edits, Source, callee, rename_call
from ..record.program import Module
from ..wording import counted, listed, num, percent
from ._fixing import Fix, Run, Signs, begin, fixed, number
from ._known import batch_size, modules

FAMILY = "generalisation"
TITLE = "Batch norm with a tiny batch"
FOR = {
    "modes-disagree": 1.5, "norm-tiny-batch": 4.5, "validation-gap": 1.0, "batch-size-small": 0.5,
    "train-above-validation": 0.3, "validation-at-chance": 0.3,
}  # fmt: skip
REQUIRES = ("norm-tiny-batch",)

MOST_GROUPS = 32  # the number that the paper settles on
_KINDS = ("BatchNorm1d", "BatchNorm2d", "BatchNorm3d")


def fix(run: Run, _signs: Signs) -> Fix:
    norms, size = modules(run, "BatchNorm"), batch_size(run)
    # The variance of n values has a relative error of sqrt(2 / (n - 1)).
    error = percent((2 / (size - 1)) ** 0.5) if size and size > 1 else ""
    off = f", where the estimated variance is off by about {error}" if error else ""
    batches = f" Batches have {num(size)} samples{off}." if size else ""
    names = listed([f"`{module.name}`" for module in norms])
    layers = counted(len(norms), "batch norm layer").removeprefix("1 ")
    which = f"the {layers} ({names})" if norms else "batch norm"
    edits = begin(run)
    for source, call in edits.project.calls(*_KINDS):
        _replace(edits, source, call, norms)
    pattern = "norm = torch.nn.GroupNorm(num_groups=32, num_channels=channels)  # instead of BatchNorm2d(channels)"
    summary = f"Replace {which} with a norm that does not depend on the batch, or use batches of 16 or more.{batches}"
    return fixed(run, summary, edits, pattern)


def _replace(edits: Edits, source: Source, call: ast.Call, norms: list[Module]) -> None:
    """BatchNorm1d(n) becomes LayerNorm(n); in two and three dimensions the channels are put into groups."""
    if len(call.args) != 1 or call.keywords:
        edits.refuse()
    elif callee(call) == "BatchNorm1d":
        rename_call(edits, source, call, "LayerNorm")
    else:
        widths = [number(module.settings.get("num_features")) for module in norms]
        groups = next((g for g in range(MOST_GROUPS, 0, -1) if all(w and w % g == 0 and w > g for w in widths)), 1)
        rename_call(edits, source, call, "GroupNorm")
        start = source.span(call.args[0])[0]
        edits.splice(source, start, start, f"{groups}, ")
