"""Inputs or targets hold NaN or Inf before the model runs, a division by zero in preprocessing included.

## What happens
The loss is NaN at the first bad batch, often in the middle of an epoch, and from the next step on for ever, since
the update has written NaN into the weights. Which step it is depends on the shuffle.

## Why
NaN is contagious: any sum, product or comparison of sizes with it is NaN. One NaN among a million inputs reaches
every output of a linear layer for that sample, then the mean loss of the batch, then through backward every weight,
after which all later batches give NaN. Usual origins: missing values read from a table as NaN; x / std with a
constant feature, std = 0, which gives 0/0; log of a zero count; a division by the maximum of an all-zero image;
integer overflow turned to float; an empty average; a corrupt file.

## Signs
- Inputs or targets hold non-finite values on entry, before the first layer.
- The onset moves when the shuffle's seed changes, but comes with the same samples.

## Fix
Find the samples and fix the preprocessing; decide openly what to do with missing values.

```python
for index in range(len(dataset)):
    x, y = dataset[index]
    if not (torch.isfinite(x).all() and torch.isfinite(torch.as_tensor(y, dtype=torch.float)).all()):
        print("not finite:", index)

x = (x - mean) / std.clamp(min=1e-6)  # a constant feature becomes 0, not NaN
missing = torch.isnan(x)
x = torch.where(missing, column_mean, x)  # and hand `missing` to the model as a further feature if it carries meaning
```

## What not to do
- Do not skip steps whose loss is NaN: the broken samples stay, and you train on a biased rest without knowing.
- Do not lower the learning rate or clip: the number was never finite.
- Do not replace NaN by 0 blindly: in a feature with mean 400 a zero is an outlier.

## Often confused with
- `unstable-math`: the batch is finite and one operation made the NaN.
- `bad-batch`: values are finite but absurd.
- `lr-too-high`: the loss climbs before it turns NaN.
- `low-precision`: a finite float32 value above 65 504 becomes Inf when cast to float16.

## Verify
A full pass over the training and the validation loader finds no non-finite value.

## References
- Goldberg: What every computer scientist should know about floating-point arithmetic (1991).
- PyTorch documentation: torch.isfinite.
"""

import ast

from ..edits import Edits, Source, callee
from ._fixing import Fix, Run, Signs, begin, fixed, said
from ._frameworks import words
from ._known import loader

FAMILY = "data"
TITLE = "NaN or Inf in the data"
FOR = {
    "input-nonfinite": 6.5, "target-nonfinite": 6.5, "loss-not-finite": 0.7,
}  # fmt: skip
REQUIRES = ("input-nonfinite", "target-nonfinite")
EXPLAINS = ("unstable-math", "low-precision")

_FIND = """\
for index in range(len(dataset)):  # lists the samples to repair or drop
    x, y = dataset[index]
    if not (torch.isfinite(x).all() and torch.isfinite(torch.as_tensor(y, dtype=torch.float)).all()):
        print("not finite:", index)
"""


def fix(run: Run, signs: Signs) -> Fix:
    """Guard the division that makes the values; else find and repair the samples."""
    edits = begin(run)
    divisions = _unguarded(edits)
    summary = "Repair or drop the samples that are not finite, where they are prepared."
    if len(divisions) == 1:
        source, divisor = divisions[0]
        edits.replace(source, divisor, f"({source.segment(divisor)} + 1e-8)")
        summary = "Guard the division against zero: a constant feature gives 0/0."
    summary += said(signs, "input-nonfinite", "target-nonfinite")
    return fixed(run, summary, edits, _FIND, near=loader(run, "train"), words=words("finite-data"))


def _unguarded(edits: Edits) -> list[tuple[Source, ast.expr]]:
    """Divisions by a spread, a norm, a maximum or a sum that may be zero."""
    found: list[tuple[Source, ast.expr]] = []
    for source in edits.project.sources:
        for node in source.walk(ast.BinOp, ast.AugAssign):
            if isinstance(node, (ast.BinOp, ast.AugAssign)) and isinstance(node.op, ast.Div):
                divisor = node.right if isinstance(node, ast.BinOp) else node.value
                held = isinstance(divisor, ast.Attribute) and divisor.attr == "values"  # x.max(dim=0).values
                made = divisor.value if isinstance(divisor, ast.Attribute) and held else divisor
                # x / x.max() of a whole array is a number that is zero only where all of the data are.
                per_part = isinstance(made, ast.Call) and bool(made.args or made.keywords)
                name = callee(made)
                if name in ("std", "norm", "ptp") or (name in ("max", "amax", "sum") and per_part):
                    found.append((source, divisor))
    return found
