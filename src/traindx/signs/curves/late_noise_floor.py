"""How noisy a late loss without progress is where the rate was never lowered.

At a constant rate the loss ends in a noise ball whose size follows the rate: over the second half no significant fall,
and swings that are large against the level and against what is left of the trend. A tenth of the level is ordinary
batch noise, two fifths is not.
"""

from __future__ import annotations

import numpy as np

from ...record import Run
from .._base import Missing, Sign, ramp
from .._curve import BINS, Curve, in_bins, spread_of_differences, training_loss
from .._rate import learning_rate
from .._trend import trend
from .._wording import number, percent

ID = "late-noise-floor"


def measure(run: Run) -> Sign | Missing:
    loss, rate = training_loss(run), learning_rate(run)
    if len(loss) < 30:
        return Missing(ID, "fewer than thirty training losses were recorded")
    if rate is None:
        return Missing(ID, "the learning rate was not recorded")
    late = Curve(loss.steps[len(loss) // 2 :], loss.values[len(loss) // 2 :])
    course = trend(late.binned[0], in_bins(late.ratios, BINS))
    noise, level_now = spread_of_differences(late.ratios), float(np.median(late.values))
    kept = rate.last_share >= 0.9
    settled = kept and not course.falls and not course.rises and loss.first > level_now
    level = min(ramp(noise, 0.1, 0.4), ramp(abs(course.change), noise, 0.5 * noise)) if settled and noise > 0 else 0.0
    text = (
        f"Over the second half of the run the loss stays around {number(level_now)} with noise of "
        f"±{percent(min(noise, 9.99))} at a rate of {percent(rate.last_share)} of its peak."
    )
    values = {"noise": noise, "level": level_now, "change": course.change, "rate_share": rate.last_share}
    return Sign(ID, noise, level, text, int(late.steps[0]) if level >= 0.5 else None, "info", values)
