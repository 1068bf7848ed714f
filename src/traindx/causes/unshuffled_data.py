"""Batches come in an order that follows the label or the source, so the model keeps forgetting what it learned.

## What happens
Within each epoch the loss falls while one class (or one source, one speaker, one day) is shown and jumps when the
next begins; every epoch repeats the same saw-tooth. Training accuracy looks high batch by batch, validation stays
poor, and the model answers with whatever came last.

## Why
Stochastic gradient descent needs each batch's gradient to be an unbiased estimate of the whole gradient. In a
sorted file a batch of class 0 has a gradient that says "always answer 0", and it is right until class 1 comes.
Successive gradients agree within a block and contradict each other across blocks, so the weights travel in a circle
whose size is set by the learning rate and the block's length. Batch norm adds to it: its statistics are those of
one class, and the running averages belong to the last block. Mixed batches cost nothing and remove all of this.

Order is not always a fault. Time series are often read in order *within* a window, and a language model's documents
may be streamed, as long as neighbouring batches do not share the label.

## Signs
- Consecutive batches are nearly of a single class.
- The targets within a batch are alike, and those of different batches are not.
- A saw-tooth with the period of the epoch.
- The training loader's sampler is sequential, and the labels come in runs.

## Fix
```python
train_loader = torch.utils.data.DataLoader(train_set, batch_size=64, shuffle=True)
```

For a stream (`IterableDataset`) use a shuffle buffer of many blocks' length; for a distributed sampler call
`sampler.set_epoch(epoch)` each epoch, or all epochs have the same order.

## What not to do
- Do not lower the learning rate: the weights still go in circles, only smaller ones, and learning is slower.
- Do not shuffle inputs and labels separately.
- Do not only shuffle *within* batches: each batch still holds one class.

## Often confused with
- `lr-too-high`: jumps without a period.
- `bad-batch`: single spikes, not a whole tooth.
- `class-imbalance`: predictions collapse onto one class for good.
- `overfitting`: training improves over epochs, and the loss does not jump back at each.

## Verify
The most common class's share in a batch is near its share in the data, and the saw-tooth is gone.

## References
- Bottou: Stochastic gradient descent tricks (2012).
- McCloskey, Cohen: Catastrophic interference in connectionist networks (1989).
- PyTorch documentation: torch.utils.data.DataLoader.
"""

import ast

from ..edits import Edits, backward_calls, rename_call
from ._fixing import Fix, Run, Signs, begin, fixed, said
from ._known import train_loader
from ._settings import loader_setting

FAMILY = "data"
TITLE = "Training data not shuffled"
FOR = {
    "batches-single-class": 5.0, "batches-alike": 3.5, "saw-tooth": 2.0, "sequential-sampler": 1.5,
    "loss-oscillating": 0.5, "spikes-periodic": 0.3, "gradients-agree": 0.3, "validation-at-chance": 0.3,
}  # fmt: skip
REQUIRES = ("batches-single-class", "batches-alike", "saw-tooth")


def fix(run: Run, signs: Signs) -> Fix:
    """shuffle=True in the training loader's own line."""
    loader = train_loader(run)
    measured = said(signs, "batches-single-class", "batches-alike").strip().rstrip(".")
    if "iterable" in loader.sampler.lower():
        code = "stream = shuffled(stream, buffer=10_000)  # longer than many blocks of one label\n"
        return fixed(run, f"Shuffle the stream through a buffer: {measured}.", None, code, near=loader)
    if loader:
        return loader_setting(run, "shuffle", "True", measured or "every batch is then a random sample")
    edits = begin(run)
    _shuffle_slices(run, edits)
    pattern = "order = torch.randperm(len(x))  # again in every epoch\nx, y = x[order], y[order]"
    summary = f"Shuffle the training data in every epoch{f': {measured}' if measured else ''}."
    return fixed(run, summary, edits, pattern)


def _shuffle_slices(run: Run, edits: Edits) -> None:
    """torch.arange(n).split(b) becomes torch.randperm(n).split(b) in the head of the training loop."""
    for source, call in backward_calls(run, edits.project)[:1]:
        heads = [loop.iter for loop in source.loops_of(call) if isinstance(loop, ast.For)]
        parts = [node for head in heads for node in ast.walk(head) if isinstance(node, ast.Call)]
        ordered = [node for node in parts if source.segment(node.func) == "torch.arange" and len(node.args) == 1]
        if ordered:
            rename_call(edits, source, ordered[0], "randperm")
