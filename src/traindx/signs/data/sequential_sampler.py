"""Whether the training data come in the same order each epoch; one batch that holds them all has no order.

Many a loader that does not shuffle reads data that are mixed already, so the level is near the border.
"""

from __future__ import annotations

from ...record import Run
from .. import checks, questions
from .._base import Missing, Sign, place

ID = "sequential-sampler"
QUESTION = questions.DATA
SHOWS = "setting"
CHECK = checks.LABEL_ORDER
NOT_SHUFFLED = 0.6


def measure(run: Run) -> Sign | Missing:
    known = [loader for loader in run.training_loaders if loader.shuffled is not None]
    if not known:
        return Missing(ID, "no training loader was seen")
    fixed = [loader for loader in known if not loader.shuffled and (loader.batches or 2.0) > 1]
    if not fixed:
        return Sign(ID, 0.0, 0.0, "the training loader shuffles, or all data are one batch")
    loader = fixed[0]
    return Sign(
        ID,
        1.0,
        NOT_SHUFFLED,
        f"the training loader does not shuffle ({loader.sampler or 'no sampler'}){place(loader.site)}",
        values={"sampler": loader.sampler},
    )
