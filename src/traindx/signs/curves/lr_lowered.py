"""Whether the learning rate ends well below its peak. Neither good nor bad in itself."""

from __future__ import annotations

from ...record import Run
from ...wording import num4, percent
from .. import questions
from .._base import Missing, Sign, ramp
from .._rate import learning_rate

ID = "lr-lowered"
QUESTION = questions.SCHEDULE
SHOWS = "setting"
END = "step"


def measure(run: Run) -> Sign | Missing:
    rate = learning_rate(run)
    if rate is None or rate.peak <= 0:
        return Missing(ID, "the learning rate was not recorded, or once only")
    text = f"The learning rate ends at {percent(rate.last_share)} of its peak of {num4(rate.peak)}."
    return Sign(ID, rate.last_share, ramp(rate.last_share, 0.7, 0.3), text, None, "info", {"peak": rate.peak})
