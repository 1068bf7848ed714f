"""Validation runs over no samples, so its numbers are NaN, zero or constant from the start while training is finite.

## What happens
Training runs and its loss is finite. The validation loss is NaN, zero or the same number from the first evaluation
on, accuracy is 0 or NaN, early stopping stops at once or never, and the "best" checkpoint is the first one.

## Why
A mean over no samples is 0/0. Typical ways to get there:

- a split that leaves nothing: `int(len(data) * 0.1)` of nine samples is 0, `data[:0]`, `data[-0:]` (the whole set),
  a slice that starts behind the end;
- `drop_last=True` on a validation loader with fewer samples than one batch;
- a filter or a folder name that matches nothing;
- a generator or iterator that an earlier pass has used up;
- a sum divided by `max(count, 1)`, which turns the missing number into a reassuring 0.

Nothing raises an error: a `for` loop over an empty loader simply does not run.

## Signs
- The validation loader delivers no batch, or evaluation makes no forward pass.
- Validation is NaN or exactly constant from the first evaluation while the training loss is finite and falls.

## Fix
Check the sizes once, where the split is made, and let the script stop there.

```python
assert len(train_set) > 0 and len(validation_set) > 0, (len(train_set), len(validation_set))
validation_loader = DataLoader(validation_set, batch_size=64)    # no drop_last
```

## What not to do
- Do not guard the division (`total / max(count, 1)`): the report then shows 0 and looks perfect.
- Do not choose a checkpoint by these numbers.

## Often confused with
- `nonfinite-data`: the validation samples exist and hold NaN.
- `eval-mode-missing`, `train-val-mismatch`: validation is bad, but it is measured.
- `leaked-validation`: validation exists and is too good.

## Verify
Print the number of validation samples at every evaluation: it is the size that you expect, and the validation loss
changes from one evaluation to the next.

## References
- PyTorch documentation, `torch.utils.data.DataLoader`, argument drop_last.
- PyTorch documentation, `torch.utils.data.random_split`.
"""

from ..edits import remove_keyword
from ..record.forms import absent
from ..record.program import Loader
from ._fixing import Fix, Run, Signs, begin, fixed
from ._frameworks import words

FAMILY = "data"
MISLEADS = "validation"
TITLE = "Validation set is empty"
FOR = {"validation-empty": 8.0}
REQUIRES = ("validation-empty",)


def fix(run: Run, _signs: Signs) -> Fix:
    empty = next((loader for loader in run.loaders if loader.batches == 0), absent(Loader))
    edits = begin(run)
    summary = "Give validation at least one sample, and stop the script where the split leaves none."
    if size := empty.size:
        summary = f"Remove drop_last from the validation loader: its {size:.0f} samples do not fill one batch."
        for source, call in edits.project.calls_at(empty.site, "DataLoader"):
            remove_keyword(edits, source, call, "drop_last")
    pattern = "assert len(validation_set) > 0, len(validation_set)  # right after the split"
    return fixed(run, summary, edits, pattern, near=empty, words=words("validation-size"))
