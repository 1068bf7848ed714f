"""Whether the training loss climbs steadily from the very start, as when a sign is wrong (`_rising.py`)."""

from __future__ import annotations

from ...record import Run
from ...wording import num4, percent
from .. import questions
from .._base import Missing, Severity, Sign
from .._rising import steady_rise
from ..curve import moment, stop, training_loss

ID = "loss-heads-wrong-way"
QUESTION = questions.FALLS
SHOWS = "outcome"
END = "step"
BAD_FROM = 0.8
DOUBT_FROM = 0.5


def measure(run: Run) -> Sign | Missing:
    loss = training_loss(run)
    if len(loss) < 8:
        return Missing(ID, "fewer than eight training losses were recorded")
    rise = steady_rise(run)
    values = {"first": loss.first, "last": loss.last, "relative_rise": rise.change, "z": rise.z}
    if rise.level < 0.5:
        text = f"Training loss goes from {num4(loss.first)} to {num4(loss.last)} (smoothed; trend z = {rise.z:.1f})."
        return Sign(ID, rise.change, rise.level, text, None, "info", values)
    text = (
        f"Training loss rises from the start ({moment(run, int(loss.steps[0]))}) on: from {num4(loss.first)} to "
        f"{num4(loss.last)} (smoothed; {percent(min(rise.change, 99.0))} by its trend)."
    )
    severity: Severity = "critical" if rise.change >= 0.5 else "warning" if rise.size >= 0.6 else "info"
    return Sign(ID, rise.change, rise.level, text, int(loss.steps[0]), severity, values)


def do_now(_sign: Sign, run: Run) -> str:
    return f"{stop(run)}: every step moves away from the goal."
