"""Few updates in an epoch, and few in all.

Fewer than 30 an epoch is sparse, 5 is a handful. It costs only where the epochs do not make up for it: a thousand
updates in all leave most small tasks solved, whatever the epoch holds, so full-batch training for long is not meant.
"""

from __future__ import annotations

from ...record import Run
from ...wording import num
from .. import questions
from .._base import Missing, Sign, ramp
from .._batch import AMPLE_UPDATES, ORDINARY_BATCH, SCARCE_UPDATES, SMALL_BATCH, effective_batch
from .._loaders import updates_per_epoch

ID = "few-updates-per-epoch"
QUESTION = questions.BATCH
SHOWS = "setting"


def measure(run: Run) -> Sign | Missing:
    each = updates_per_epoch(run)
    if each is None or run.steps <= 0:
        return Missing(ID, "no training loader of known length was seen")
    level = ramp(each, 30.0, 5.0, log=True) * ramp(run.steps, AMPLE_UPDATES, SCARCE_UPDATES, log=True)
    batch = effective_batch(run)
    if batch is not None:  # an epoch over a handful of samples cannot hold more updates
        level *= ramp(batch, SMALL_BATCH, ORDINARY_BATCH, log=True)
    return Sign(
        ID,
        each,
        level,
        f"updates per epoch: about {num(each)}; in the whole run: {run.steps:,.0f}",
        values={"per_epoch": each, "steps": run.steps},
    )
