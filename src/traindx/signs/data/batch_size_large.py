"""The batch against the training set, where updates are scarce.

A tenth of the set in one batch leaves ten updates an epoch. Training on the full set for thousands of steps is healthy,
so the level also asks for fewer than a thousand updates in all.
"""

from __future__ import annotations

from ...record import Run
from ...wording import num, percent
from .. import questions
from .._base import Missing, Sign, ramp
from .._loaders import dataset_size
from .._noise import AMPLE_UPDATES, SCARCE_UPDATES, effective_batch
from .._optimizers import needs_whole_set

ID = "batch-size-large"
QUESTION = questions.BATCH
SHOWS = "setting"


def measure(run: Run) -> Sign | Missing:
    batch, size = effective_batch(run), dataset_size(run)
    if batch is None or size is None or run.steps <= 0:
        return Missing(ID, "the batch size or the size of the training set is not known")
    if needs_whole_set(run):
        return Missing(ID, "the optimizer needs the same samples at every step")
    share = min(batch / size, 1.0)
    level = ramp(share, 0.05, 0.3, log=True) * ramp(run.steps, AMPLE_UPDATES, SCARCE_UPDATES, log=True)
    return Sign(
        ID,
        share,
        level,
        f"the batch holds {num(batch)} of {num(size)} training samples ({percent(share)}); the run has {run.steps} "
        "updates",
        values={"batch": batch, "samples": size, "steps": run.steps},
    )
