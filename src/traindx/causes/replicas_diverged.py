"""Ranks that should hold the same weights do not.

## What happens
Training on several processes runs, but its results are worse than on one process, or metrics differ between ranks, or
the checkpoint of rank 0 is only one of several different models. Sometimes training hangs, because ranks disagree on
which collective comes next.

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
- Checksums of the parameters differ between ranks after the same step.
- The model is called past its DistributedDataParallel wrapper, or some gradients are never all-reduced.

## Fix
Wrap the model last, call it only through the wrapper, and let all ranks take the same decisions.

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
- Do not compare losses of different batches between ranks: they differ in a healthy run, too.

## Often confused with
- `straggler-rank`: ranks differ in speed, not in weights.
- A DistributedSampler without `set_epoch` repeats the same order each epoch; the weights still agree.
- Local SGD and gossip averaging let replicas differ on purpose between synchronisations.

## Verify
Every hundred steps, gather a checksum of the parameters (sum and sum of squares, in float64): all ranks report
equal numbers, bit for bit.

## References
- S. Li et al., "PyTorch Distributed: Experiences on Accelerating Data Parallel Training", VLDB 2020.
- PyTorch documentation, "Distributed Data Parallel" (notes) and `torch.nn.parallel.DistributedDataParallel`.
"""

import ast
from typing import Any

from ..edits import Edits
from ..wording import listed, num
from ._fixing import Fix, Run, Signs, begin, fixed

FAMILY = "distributed"
TITLE = "Replicas hold different weights"
FOR = {"replicas-differ": 8.0}
REQUIRES = ("replicas-differ",)

CHECK = """\
with torch.no_grad():  # every hundred steps
    checksum = torch.stack([p.double().sum() for p in model.parameters()]).sum()
    sums = [torch.zeros_like(checksum) for _ in range(torch.distributed.get_world_size())]
    torch.distributed.all_gather(sums, checksum)
    assert all(torch.equal(other, sums[0]) for other in sums), sums"""

WRAP = """\
# everything that changes weights comes before this line; train through the wrapper only
model = torch.nn.parallel.DistributedDataParallel(model)"""

AVERAGE = """\
for p in model.parameters():  # of every parameter, and divided by the number of ranks
    if p.grad is None:
        p.grad = torch.zeros_like(p)  # a rank without this gradient must take part too
    torch.distributed.all_reduce(p.grad)
    p.grad /= torch.distributed.get_world_size()"""

SAME_STEP = """\
bad = torch.tensor(float(not torch.isfinite(loss)), device=loss.device)
torch.distributed.all_reduce(bad)  # then all ranks skip the step, or none does
if not bad:
    optimizer.step()"""


def fix(run: Run, signs: Signs) -> Fix:
    job = run.distributed
    world = job.world_size
    ranks = f"{world:.0f}" if world else "the"
    measured = signs["replicas-differ"].values if "replicas-differ" in signs else {}
    past, through = job.past, job.through
    averaged, wrapper = job.averaged, job.wrapper
    never = averaged.never
    near = wrapper
    if wrapper and past > through:
        summary = (
            "Call the DistributedDataParallel wrapper itself in training, not its `.module`: "
            f"{num(past)} of {num(past + through)} training forwards bypass it, and the ranks exchange no gradients."
        )
        edits = begin(run)
        _call_wrapper(edits, job.past_site)
        return fixed(run, summary, edits, "outputs = model(inputs)  # not model.module(inputs)", near=near)
    if never:
        names = listed([f"`{name}`" for name in never])
        summary = f"All-reduce the gradient of every parameter. Never all-reduced: {names}."
        pattern = AVERAGE
    elif measured.get("last_equal") is None:
        summary = (
            "Load and initialise the weights before DistributedDataParallel is built, which copies those of rank 0 to "
            "all ranks; the ranks' weights differ at the first check."
            if wrapper
            else f"Start all {ranks} ranks from the same weights, and average every gradient over all of them."
        )
        pattern = WRAP if wrapper else AVERAGE
    else:
        summary = (
            f"Find the step that only some ranks take (the weights are equal until step {num(measured['last_equal'])} "
            f"and differ at step {num(measured['first'])}): a step skipped on one rank, clipping by a local norm, "
            "another learning rate."
        )
        pattern = SAME_STEP
    return fixed(run, summary, None, f"{pattern}\n\n{CHECK}", near=near)


def _call_wrapper(edits: Edits, site: Any) -> None:
    for source, call in edits.project.calls_at(site, "module"):
        if isinstance(call.func, ast.Attribute):
            edits.replace(source, call.func, source.segment(call.func.value))
