"""Whether the learning rate never changes over the run. Neither good nor bad in itself."""

from __future__ import annotations

from ...record import Run
from .. import questions
from .._base import Missing, Sign
from .._rate import learning_rate
from .._wording import number

ID = "lr-constant"
QUESTION = questions.SCHEDULE
SHOWS = "setting"


def measure(run: Run) -> Sign | Missing:
    rate = learning_rate(run)
    if rate is None:
        return Missing(ID, "the learning rate was not recorded, or once only")
    peak, points = rate.peak, len(rate.curve)
    if rate.constant and peak > 0:
        text = f"The learning rate is {number(peak)} at all {points} recorded points."
        return Sign(ID, peak, 1.0, text, None, "info", {"rate": peak, "points": points})
    text = f"The learning rate changes over the run (peak {number(peak)})."
    return Sign(ID, peak, 0.0, text, None, "info", {"rate": peak, "points": points})
