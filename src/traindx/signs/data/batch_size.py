"""The batch size: large against the training set, or only a few samples."""

from __future__ import annotations

from ...record import Run
from ...wording import num, percent
from .. import questions
from .._base import Missing, Sign, SignUnit, ramp
from .._batch import AMPLE_UPDATES, ORDINARY_BATCH, SCARCE_UPDATES, SMALL_BATCH, effective_batch
from .._loaders import dataset_size

LARGE, SMALL = "batch-size-large", "batch-size-small"


def large(run: Run) -> Sign | Missing:
    """The batch against the training set, where updates are scarce.

    A tenth of the set in one batch leaves ten updates an epoch. Training on the full set for thousands of steps is
    healthy, so the level also asks for fewer than a thousand updates in all. A batch of a few samples is not large,
    even if there are no more.
    """
    batch, size = effective_batch(run), dataset_size(run)
    if batch is None or size is None or run.steps <= 0:
        return Missing(LARGE, "the batch size or the size of the training set is not known")
    batch = min(batch, size)
    share = batch / size
    level = ramp(share, 0.05, 0.3, log=True) * ramp(run.steps, AMPLE_UPDATES, SCARCE_UPDATES, log=True)
    level *= ramp(batch, SMALL_BATCH, ORDINARY_BATCH, log=True)
    return Sign(
        LARGE,
        share,
        level,
        f"the batch holds {num(batch)} of {num(size)} training samples ({percent(share)}); "
        f"the run has {run.steps} updates",
        values={"batch": batch, "samples": size, "steps": run.steps},
    )


def small(run: Run) -> Sign | Missing:
    """How few samples feed one update: eight and more are ordinary, one is the least. Accumulated batches add up."""
    batch = effective_batch(run)
    if batch is None:
        return Missing(SMALL, "the batch size was not recorded")
    return Sign(
        SMALL,
        batch,
        ramp(batch, 8.0, 1.0, log=True),
        f"the batch size is {num(batch)}",
        values={"batch": batch},
    )


SIGNS = (
    SignUnit(LARGE, large, questions.BATCH, "setting"),
    SignUnit(SMALL, small, questions.BATCH, "setting"),
)
