"""One rank is slower and the rest wait for it.

## What happens
Step time on several processes is longer than on one, and adding processes helps little. One rank computes or loads
longer than the others; they wait for it in the all-reduce, and their backward or communication time looks long.

## Why
Synchronous training takes a step when the last rank has delivered its gradient: T = max_r T_r + T_comm. The mean does
not matter. With R ranks whose times vary at random with spread s, the expected maximum lies about s·√(2·ln R) above
the mean, so even without a slow machine the time lost grows with R. A rank that is always slow sets the pace for all:
with one of eight at half speed, seven are idle half of the time.

Typical reasons: unequal work (sequences of different length, uneven shards), one rank that also logs, evaluates or
writes checkpoints, fewer loader workers or a busy disk on one node, a hot or throttled device, other jobs on the
same machine, a slower link.

## Signs
- One rank's compute time is far above the others', and their waiting time mirrors it.
- The slow rank is always the same (a slow machine or an extra duty), or changes from step to step (unequal batches).

## Fix
If the slow rank changes, balance the work; if it is always the same, look at that machine and take its extra duties
away.

```python
sampler = LengthGroupedSampler(lengths, batch_size)     # batches of equal cost on all ranks (your own, or a library's)
if rank == 0 and step % 1000 == 0:
    saver.submit(torch.save, state_on_cpu, "last.pt")   # a background thread writes, the step goes on
```

Equal numbers of batches on each rank: `DistributedSampler(dataset, drop_last=True)`.

## What not to do
- Do not raise the collective's timeout: it only waits longer.
- Do not give the slow rank fewer samples without weighting the gradients accordingly.
- Do not measure without synchronising the device: otherwise the waiting time is attributed to another operation.

## Often confused with
- `slow-data-loading`: all ranks wait for their own data.
- `graph-retained`: steps become slower with time, on all ranks.
- `replicas-diverged`: ranks differ in weights.
- A slow network: all ranks spend the same long time in communication.

## Verify
Compare compute time without waiting between ranks: the slowest is within about 10 % of the median, and throughput
grows nearly in proportion to the number of ranks.

## References
- J. Chen et al., "Revisiting Distributed Synchronous SGD", 2016.
- J. Dean, L. Barroso, "The Tail at Scale", Communications of the ACM, 2013.
- S. Li et al., "PyTorch Distributed: Experiences on Accelerating Data Parallel Training", VLDB 2020.
"""

from ..wording import num
from ._fixing import Fix, Run, Signs, fixed

FAMILY = "distributed"
TITLE = "One rank slows down the others"
FOR = {"ranks-wait": 6.0}
REQUIRES = ("ranks-wait",)

CODE = """\
started = time.perf_counter()
outputs = model(inputs)  # forward only: backward already waits for the others
if torch.cuda.is_available():
    torch.cuda.synchronize()
mine = torch.tensor(time.perf_counter() - started, device=outputs.device)
times = [torch.zeros_like(mine) for _ in range({ranks})]
torch.distributed.all_gather(times, mine)"""


def fix(run: Run, signs: Signs) -> Fix:
    world = run.distributed.world_size
    ranks = f"{world:.0f}" if world else "torch.distributed.get_world_size()"
    measured = signs["ranks-wait"].values if "ranks-wait" in signs else {}
    if not measured:
        among = f" of the {world:.0f} ranks" if world else " rank"
        summary = (
            f"Time each{among}: if the slow one is always the same, look at its machine and its extra work; "
            "if it changes, look at unequal batches."
        )
        return fixed(run, summary, None, CODE.format(ranks=ranks))
    rank, saved = measured["rank"], 1000 * (measured["own"] - measured["usual"])
    duties = (
        "its loader (workers, disk) and what the loop does on this rank alone (logging, checkpoints, metrics)"
        if measured["where"] != "in the forward pass"
        else "its device, other jobs on its machine and the size of its batches"
    )
    summary = f"Find out why rank {rank} takes {num(saved)} ms longer than the others: look at {duties}."
    return fixed(run, summary, None, CODE.format(ranks=ranks))
