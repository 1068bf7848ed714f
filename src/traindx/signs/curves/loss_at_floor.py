"""How low the training loss has settled: near its floor the run is done.

A fiftieth of the loss at chance is as good as zero. From a log alone, a hundredth of the first loss counts if it is
also below 0.05 (losses are usually of order one); a thousandth counts without doubt. A loss in odd units that fell by
decades and ends at a large number is not called done.
"""

from __future__ import annotations

from ...record import Run
from ...wording import num, num4
from .. import questions
from .._base import Missing, Sign, ramp
from .._chance import chance_level
from ..curve import training_loss

ID = "loss-at-floor"
QUESTION = questions.FALLS
SHOWS = "dynamics"
END = "step"


def measure(run: Run) -> Sign | Missing:
    loss, chance = training_loss(run), chance_level(run)
    if len(loss) < 5:
        return Missing(ID, "fewer than five training losses were recorded")
    reference = chance.loss if chance is not None else loss.first
    if reference <= 0 or loss.last < 0:
        return Missing(ID, "a loss at or below zero has no known floor")
    share = loss.last / reference
    level = ramp(share, 0.1, 0.005, log=True)
    if chance is None:
        level = min(level, ramp(loss.last, 0.1, 0.01, log=True))
    against = f"chance ({num4(reference)})" if chance else f"its first value ({num4(reference)})"
    text = f"Training loss ends at {num4(loss.last)} (smoothed), {num(share, 2)} times {against}."
    return Sign(
        ID,
        share,
        level,
        text,
        int(loss.steps[-1]) if level >= 0.5 else None,
        "info",
        {"last": loss.last, "reference": reference},
    )
