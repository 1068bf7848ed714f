"""The step waits for data longer than it computes.

## What happens
The loss is fine, but training is slow. The device idles in short gaps between steps; its utilisation jumps between
high and zero. Making the model faster changes nothing.

## Why
A step takes the time to get a batch plus the time to compute, if one happens after the other: T = T_data +
T_compute. With w worker processes that prepare batches ahead, loading runs beside computing and

    T ≈ max(T_load / w, T_compute)

as long as the queue is not empty. So waiting vanishes when w ≥ T_load/T_compute, provided that there are that many
cores and that the disk keeps up. With `num_workers=0` nothing overlaps and every batch is waited for in full.

What usually makes T_load large: decoding and resizing images at full size, reading many small files, per-sample
Python work that could be done once or on the whole batch, a slow network disk, too many threads fighting for few
cores, and workers that are restarted in every epoch.

## Signs
- A large share of the step's time is spent in the loader's `next`.
- num_workers is 0, or far below the number of cores.
- The first batch of each epoch takes much longer than the others (workers starting).

## Fix
Let workers prepare ahead, keep them alive, pin memory for a GPU; then make the preparation itself cheaper.

```python
loader = DataLoader(
    dataset, batch_size=64, shuffle=True, num_workers=4, persistent_workers=True, pin_memory=True, prefetch_factor=4
)
```

Cache what is deterministic (decoded, resized) on disk or in memory; for small data, put the whole set on the
device.

## What not to do
- Do not start more workers than there are cores: they slow each other, and each holds a copy of the data set.
- Do not move tensors to the GPU inside workers.
- Do not measure a GPU step without synchronising: the wait for results then appears where they are first read.

## Often confused with
- `straggler-rank`: the wait is for another process.
- `graph-retained`: steps become slower as the run goes on, in backward.
- Waiting on `.item()` or `.cpu()` each step is a hidden synchronisation, not loading.

## Verify
The share of time spent waiting in the loader's `next` is a few percent.

Time an epoch of the loader alone and an epoch with one cached batch: the slower of the two is the limit.

## References
- PyTorch documentation, `torch.utils.data`: "Single- and Multi-process Data Loading", "Memory Pinning".
- PyTorch tutorial, "Performance Tuning Guide".
- J. Mohan et al., "Analyzing and Mitigating Data Stalls in DNN Training", VLDB 2021.
"""

import math
import os
from dataclasses import replace

from ..wording import num, percent
from ._fixing import Fix, Run, Signs, fixed
from ._known import median, train_loader
from ._settings import is_guarded, loader_setting

FAMILY = "cost"
GAINS = True
TITLE = "Data loading is the bottleneck"
FOR = {"data-wait": 5.0}
REQUIRES = ("data-wait",)

MOST_WORKERS = 8  # beyond that disks are the usual limit; measure before going higher


def fix(run: Run, signs: Signs) -> Fix:
    # The same numbers as the evidence gives, where it gives them: what a person told has none.
    measured = signs["data-wait"].values if "data-wait" in signs else {}
    waited = measured.get("wait") or median(run, "time/data")
    total = measured.get("total") or median(run, "time/total")
    loader = train_loader(run)
    present, cores = loader.workers or 0.0, os.cpu_count() or 1
    share, needed = "", 4
    if waited and total and total > waited > 0:
        part, whole = num(1000 * waited), num(1000 * total)
        share = f" {percent(waited / total)} of a step is spent waiting for data ({part} of {whole} ms)."
        needed = math.ceil(max(present, 1) * waited / (total - waited))
    if not loader or max(2, present + 1) > cores:
        summary = f"Prepare the data once, before the loop, or cache what is expensive per sample.{share}"
        pattern = "prepared = [transform(sample) for sample in dataset]  # once; then train on `prepared`"
        return fixed(run, summary, None, pattern, near=loader)
    workers = int(min(MOST_WORKERS, cores, max(2, present + 1, needed)))
    why = f"loading then runs beside computing, on {workers} of {cores} cores"
    why += "" if is_guarded(run) else "; the script needs a __main__ guard"
    made = loader_setting(run, "num_workers", str(workers), why, safety="safe")
    return replace(made, summary=made.summary + share)
