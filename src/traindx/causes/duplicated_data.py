"""Samples repeat where they should not: every rank or every loader worker gets the same ones, or every epoch has the
same order.

## What happens
Adding processes changes nothing but the time of an epoch: validation loss is what one process reaches with the same
number of steps, although the job reads R times as much. Or the loss has the same bumps at the same batches of each
epoch.

## Why
Data-parallel training averages the gradients of R batches, so its noise falls by √R only where the batches are
different. Where all ranks draw the same batch (no DistributedSampler; all ranks seeded alike and a shuffling loader; an
IterableDataset that nobody shards), the mean of R equal gradients is one gradient: R machines do the work of one.

Each worker of a DataLoader has a copy of an IterableDataset. Where `__iter__` does not ask `get_worker_info()` for its
share, W workers yield the whole stream W times: an epoch is W times as long, and holds every sample W times.

A DistributedSampler shuffles with a seed of `seed + epoch`. Nobody but the script tells it the epoch: without
`set_epoch` it stays 0, and each epoch repeats the order and the batches of the first.

## Signs
- The batches of all ranks are equal at the same step.
- The epoch number of the sampler is the same at the start of each pass.
- The batches that the workers of one loader yield in turn are equal.

## Fix
Give each rank its own share, and tell the sampler the epoch.

```python
sampler = torch.utils.data.DistributedSampler(train_set)   # a share of its own for each rank
loader = torch.utils.data.DataLoader(train_set, batch_size=64, sampler=sampler)
for epoch in range(epochs):
    sampler.set_epoch(epoch)                               # a new order
    for batch in loader:
        ...
```

An IterableDataset shards itself, by rank and by worker:

```python
def __iter__(self):
    info = torch.utils.data.get_worker_info()
    first, step = (0, 1) if info is None else (info.id, info.num_workers)
    yield from itertools.islice(self.samples(), first, None, step)
```

## What not to do
- Do not seed each rank differently instead: ranks then draw with repetition, and an epoch misses samples.
- Do not raise the learning rate for the larger batch before the batch is larger.

## Often confused with
- `replicas-diverged`: the weights differ between ranks. Here they are equal, and so are the data.
- `unshuffled-data`: the order itself is sorted.
- Tensor and pipeline parallelism feed all ranks of a group the same batch on purpose.

## Verify
Print a checksum of the first batch on each rank and in each epoch: no two are equal.

## References
- PyTorch documentation, `torch.utils.data.distributed.DistributedSampler`.
- S. Li et al., "PyTorch Distributed: Experiences on Accelerating Data Parallel Training", VLDB 2020.
"""

import ast

from ..edits import Edits, backward_calls
from ._fixing import Fix, Run, Signs, begin, fixed, raised
from ._known import train_loader

FAMILY = "distributed"
TITLE = "Ranks, workers or epochs repeat the same samples"
FOR = {"ranks-same-samples": 6.0, "workers-same-stream": 6.0, "epochs-same-order": 6.0}
REQUIRES = ("ranks-same-samples", "workers-same-stream", "epochs-same-order")

SHARES = """\
sampler = torch.utils.data.DistributedSampler(train_set)
loader = torch.utils.data.DataLoader(train_set, batch_size=batch_size, sampler=sampler)  # instead of shuffle=True"""
BY_WORKER = """\
info = torch.utils.data.get_worker_info()  # first in __iter__
first, step = (0, 1) if info is None else (info.id, info.num_workers)
yield from itertools.islice(stream, first, None, step)"""
NEW_ORDER = "sampler.set_epoch(epoch)  # first in the loop over epochs"


def fix(run: Run, signs: Signs) -> Fix:
    """A share for each worker; a DistributedSampler; where there is one, `set_epoch` at the start of each epoch."""
    near = train_loader(run)
    if raised(signs, "workers-same-stream"):
        return fixed(run, "Let each worker yield its own share of the stream.", None, BY_WORKER, near=near)
    if raised(signs, "ranks-same-samples") or not signs.level("epochs-same-order"):
        world = run.distributed.world_size
        each = f"each of the {world:.0f} ranks" if world else "each rank"
        summary = f"Give {each} its own share of the data with a DistributedSampler."
        return fixed(run, summary, None, SHARES, near=near)
    edits = begin(run)
    _tell_epoch(run, edits)
    summary = "Call set_epoch at the start of each epoch, so that the sampler draws a new order."
    return fixed(run, summary, edits, NEW_ORDER, near=near)


def _tell_epoch(run: Run, edits: Edits) -> None:
    """`sampler.set_epoch(epoch)` first in the outermost loop around training, where both have names."""
    made = edits.project.calls("DistributedSampler")
    for source, call in backward_calls(run, edits.project)[:1]:
        loops = [loop for loop in source.loops_of(call) if isinstance(loop, ast.For)]
        outer = loops[-1] if len(loops) > 1 else None
        if len(made) != 1 or made[0][0] is not source or outer is None or not isinstance(outer.target, ast.Name):
            continue
        if isinstance(statement := source.statement_of(made[0][1]), ast.Assign):
            name = source.segment(statement.targets[0])
            edits.insert_before(source, outer.body[0], f"{name}.set_epoch({outer.target.id})")
