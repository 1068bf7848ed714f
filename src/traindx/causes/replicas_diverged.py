"""Ranks that should hold the same weights do not.

## What happens
Training on several processes runs and its results are worse than on one, or metrics differ between ranks, or the
checkpoint of rank 0 is not the model that was averaged. Sometimes it hangs, because ranks disagree on which
collective comes next.

## Why
Data-parallel training keeps replicas equal by induction: equal weights at the start (broadcast from rank 0), equal
gradients at each step (all-reduce, g = (1/R)·Σ g_r), the same deterministic update. One broken link is enough, and
nothing pulls the replicas together again afterwards. The averaged gradient is then a mean of gradients taken at
different points, and belongs to none of them.

Links that break:

- parameters changed outside the wrapper: weights re-initialised or loaded after DistributedDataParallel was built;
- calling `model.module(...)` in training, which bypasses the hooks that synchronise;
- a parameter that the wrapper does not know: added later, or kept in a plain list;
- an update that differs: different learning rates, random numbers inside the optimizer, clipping by a local norm,
  skipping a step on one rank only (a local NaN check), different numbers of batches;
- hand-written averaging that forgets the division by R, or a parameter without a gradient on some rank;
- buffers such as batch norm's running statistics, with `broadcast_buffers=False`.

## Signs
- Checksums of the parameters differ between ranks.
- Losses of the ranks on the same batch differ.

## Fix
Wrap last, train only through the wrapper, let every rank decide alike.

```python
model.load_state_dict(state)                                   # everything before the wrapper
model = torch.nn.parallel.DistributedDataParallel(model, device_ids=[local_rank])
outputs = model(inputs)                                        # not model.module(inputs)

bad = torch.tensor(float(not torch.isfinite(loss)), device=loss.device)
torch.distributed.all_reduce(bad)                              # skip on all ranks or on none
```

## What not to do
- Do not average the weights once in a while to hide it.
- Do not seed ranks alike to get equal weights: then they draw the same augmentation, and often the same data.
- Do not compare losses of different batches between ranks: those differ in health, too.

## Often confused with
- `straggler-rank`: ranks differ in speed, not in weights.
- A DistributedSampler without `set_epoch` repeats the same order each epoch; the weights still agree.
- Local SGD and gossip averaging let replicas differ on purpose between synchronisations.

## Verify
Every hundred steps, gather a checksum of the parameters (sum and sum of squares, in float64): all ranks report
equal numbers, bit by bit.

## References
- S. Li et al., "PyTorch Distributed: Experiences on Accelerating Data Parallel Training", VLDB 2020.
- PyTorch documentation, "Distributed Data Parallel" (notes) and `torch.nn.parallel.DistributedDataParallel`.
"""

from __future__ import annotations

from ..record import Run
from ..record.values import number
from ..signs import Signs
from ._base import Fix
from ._fixing import fixed

ID = "replicas-diverged"
FAMILY = "distributed"
TITLE = "Replicas hold different weights"
MEANS = "Ranks that should hold equal weights do not."
# No sign measures checksums across ranks yet, so nothing can speak for this cause and it must not be named.
FOR: dict[str, float] = {}
AGAINST: dict[str, float] = {}
AVOID = (
    "Do not average the weights once in a while to hide it.",
    "Do not seed ranks alike to get equal weights: they would draw the same data.",
)
VERIFY = "A checksum of all parameters, gathered every hundred steps, is equal on all ranks."
REFERENCE = "S. Li et al., PyTorch Distributed: Experiences on Accelerating Data Parallel Training, VLDB 2020"

CODE = """\
# everything that changes weights comes before this line; train through the wrapper only
model = torch.nn.parallel.DistributedDataParallel(model)

with torch.no_grad():  # every hundred steps
    checksum = torch.stack([p.double().sum() for p in model.parameters()]).sum()
    sums = [torch.zeros_like(checksum) for _ in range({ranks})]
    torch.distributed.all_gather(sums, checksum)
    assert all(torch.equal(other, sums[0]) for other in sums), sums"""


def fix(run: Run, _signs: Signs) -> Fix:
    world = number(run.fact("distributed").get("world_size"))
    ranks = f"{world:.0f}" if world else "torch.distributed.get_world_size()"
    among = f" on all {world:.0f} ranks" if world else ""
    summary = f"Load and change weights before wrapping, train through the wrapper, and check equality{among}."
    return fixed(run, summary, None, CODE.format(ranks=ranks))
