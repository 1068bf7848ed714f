"""Padded positions count in the loss, the attention, the pooling or the last state, so the model learns padding.

## What happens
Sequences of different lengths are filled up to one length, and the filler takes part in the training. The loss falls
fast at first, because the filler is easy to predict, and then looks better than the model is: with 70 % padding a
model that predicts only the filler is right 70 % of the time. Loss and accuracy follow the share of padding in the
batch. In use, the model ends its answers too early, or a sample's output changes with the length of its neighbours.

## Why
A mean over all positions weights each of them alike. With n real and p padded positions

    L = (n·L_real + p·L_pad) / (n + p)

so the gradient of the real positions is scaled by n/(n + p), and it shrinks further once L_pad is near zero. The same
happens wherever positions are summed up: attention that may look at the filler spreads its weights over it, mean
pooling divides by the padded length, and the last state of a recurrent layer belongs to the filler, not to the end of
the sequence.

## Signs
- The most frequent target is the id that fills the ends of rows, and the loss does not ignore it.
- The loss of a batch follows its share of padding.
- A sample's output changes when padding is added to it.

## Fix
Tell the loss which id to ignore, and mask the filler in attention, pooling and the last state.

```python
loss = F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=pad_id)
pooled = (states * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)    # mask: 1 for real positions
packed = nn.utils.rnn.pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
```

## What not to do
- Do not leave padding out of the accuracy only: the gradient still counts it.
- Do not use the id of a real token for padding: that token is then ignored everywhere.
- Do not truncate all sequences to the shortest one.

## Often confused with
- `class-imbalance`: the most frequent class is a real one.
- `target-leakage`: the loss is too good because the answer is in the input.
- `model-too-small`: the loss settles where the real positions have hardly been learned.

## Verify
The loss of one sample is the same alone and in a batch with a longer one, and the number of counted positions equals
the number of real ones.

## References
- PyTorch documentation, `torch.nn.CrossEntropyLoss`, argument ignore_index.
- PyTorch documentation, `torch.nn.utils.rnn.pack_padded_sequence`.
- Hugging Face documentation, "Padding and truncation": labels of -100 are ignored.
"""

from ..edits import add_keyword, argument, opaque
from ._fixing import Fix, Run, Signs, begin, fixed, said
from ._frameworks import words
from ._known import training_loss

FAMILY = "data"
MISLEADS = "all"
TITLE = "Padding counted in the loss (ignore_index or mask missing)"
FOR = {"padding-counted": 5.0, "predictions-collapsed": 0.5}
REQUIRES = ("padding-counted",)


def fix(run: Run, signs: Signs) -> Fix:
    filler = run.padding.id
    loss = training_loss(run, "cross_entropy", "nll")
    edits = begin(run)
    # In the constructor of the loss where the script has one, else in each call of the function.
    made = edits.project.calls("CrossEntropyLoss", "NLLLoss")
    calls = made or edits.project.calls_at(loss.site, loss.fn)
    for source, call in calls if filler is not None else []:
        if opaque(call) or argument(call, "ignore_index", "") is not None:
            edits.refuse()
        else:
            add_keyword(edits, source, call, f"ignore_index={filler:.0f}")
    pattern = "loss = F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=pad_id)"
    summary = "Ignore padded positions in the loss, and mask them in attention and pooling."
    summary += f" The padding has the id {filler:.0f}." if filler is not None else ""
    return fixed(run, summary + said(signs, "padding-counted"), edits, pattern, near=loss, words=words("padding"))
