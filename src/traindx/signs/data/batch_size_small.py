"""How few samples feed one update: eight and more are ordinary, one is the least. Accumulated batches add up.

Where successive gradients agree, a sample is enough: one image that is fitted, one field that is solved for.
"""

from __future__ import annotations

from ...record import Run
from ...wording import num
from .. import questions
from .._base import Missing, Sign, ramp
from .._noise import effective_batch
from .._tables import typical

ID = "batch-size-small"
QUESTION = questions.BATCH
SHOWS = "setting"


def measure(run: Run) -> Sign | Missing:
    batch = effective_batch(run)
    if batch is None:
        return Missing(ID, "the batch size was not recorded")
    agreement = typical(run, "grad_cosine") or 0.0
    return Sign(
        ID,
        batch,
        ramp(batch, 8.0, 1.0, log=True) * ramp(agreement, 0.5, 0.1),
        f"the batch size is {num(batch)}",
        values={"batch": batch, "agreement": agreement},
    )
