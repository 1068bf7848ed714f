"""Whether the learning rate never changes over the run. Neither good nor bad in itself."""

from __future__ import annotations

from ...record import Run
from ...wording import num4
from .. import questions
from .._base import Missing, Sign
from .._rate import learning_rate

ID = "lr-constant"
QUESTION = questions.SCHEDULE
SHOWS = "setting"


def measure(run: Run) -> Sign | Missing:
    rate = learning_rate(run)
    if rate is None:
        return Missing(ID, "the learning rate was not recorded, or once only")
    peak, points = rate.peak, len(rate.curve)
    if rate.constant and peak > 0:
        text = f"The learning rate is {num4(peak)} at all {points} recorded points."
        return Sign(ID, peak, 1.0, text, None, "info", {"rate": peak, "points": points})
    text = f"The learning rate changes over the run (peak {num4(peak)})."
    return Sign(ID, peak, 0.0, text, None, "info", {"rate": peak, "points": points})
