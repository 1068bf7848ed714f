"""How many times the run's length its steady pace would need to halve the loss.

Steady: the fall is significant over the whole run and the second half falls nearly as fast as the first, so nothing
is converging; a fall in the first few steps, which the trend passes over, has not already gained several times as
much. Five lengths is slow, fifteen hopeless. A fine-tuned model starts near the end of its way and looks the same, so
from a curve alone this is a note; next to a known chance level it is a warning.
"""

from __future__ import annotations

import numpy as np

from ...record import Run
from ...wording import num4, percent
from .. import questions
from .._base import Missing, Severity, Sign, ramp
from .._chance import chance_level
from .._trend import trend
from ..curve import is_excerpt, training_loss

ID = "loss-falling-slowly"
QUESTION = questions.FALLS
SHOWS = "outcome"
END = "step"
DOUBT_FROM = 0.8
NEEDS_TIME = True
AT_ONCE = 4.0  # times the trend: what may be gained in all, of which the first steps have had the rest


def measure(run: Run) -> Sign | Missing:
    loss = training_loss(run)
    if len(loss) < 10 or is_excerpt(run):
        return Missing(ID, "the start of the run, or ten training losses, were not recorded")
    x, y = loss.binned
    y = np.exp(y) if loss.logarithmic else y
    whole, half = trend(x, y), len(x) // 2
    first, second = trend(x[:half], y[:half]), trend(x[half:], y[half:])
    pace = -whole.change / abs(loss.first) if loss.first else 0.0
    values = {"pace": pace, "first": loss.first, "last": loss.last, "z": whole.z}
    needed = 0.5 / pace if pace > 0 else float("inf")
    gained = (loss.first - loss.last) / abs(loss.first) if loss.first else 0.0
    steady = whole.z <= -4 and second.change <= 0.4 * first.change < 0 and gained <= AT_ONCE * pace
    text = f"Training loss changes by {percent(-max(pace, gained, key=abs))} over the run (trend: z = {whole.z:.1f})."
    # Below a thousandth the loss is stuck rather than slow.
    if not steady or pace < 1e-3:
        return Sign(ID, needed if steady else 0.0, 0.0, text, None, "info", values)
    level = ramp(needed, 5, 15, log=True)
    chance = chance_level(run)
    near_chance = chance is not None and loss.last > 0.8 * chance.loss
    text = (
        f"Training loss falls steadily, by {percent(pace)} over the run (trend), to {num4(loss.last)} (smoothed); "
        f"at this pace, halving it takes {needed:.3g} times the length of this run."
        if loss.last > 0
        else f"Training loss falls steadily, to {num4(loss.last)} (smoothed)."
    )
    severity: Severity = "warning" if near_chance and level >= 0.5 else "info"
    return Sign(ID, needed, level, text, int(loss.steps[0]), severity, values | {"lengths_needed": needed})
