"""How noisy a late loss without progress is where the learning rate was never lowered.

At a constant learning rate the loss ends in a noise ball whose size follows the learning rate: over the second half no
significant fall, and swings that are large against the level and against what is left of the trend. A tenth of the
level is ordinary batch noise, two fifths is not; but small batches and a low loss give as much at any learning rate,
so from the training loss alone this stays a suspicion. A validation loss is taken over the same samples every time:
where it swings, so do the weights.
"""

from __future__ import annotations

import numpy as np

from ...record import Run
from ...wording import num4, percent, plus_minus
from .. import questions
from .._base import Missing, Sign, ramp
from .._rate import learning_rate
from .._trend import trend
from ..curve import BINS, Curve, in_bins, spread_of_differences, training_loss, validation_loss

ID = "late-noise-floor"
QUESTION = questions.FALLS
SHOWS = "dynamics"
END = "step"
SUSPICION = 0.5  # the most that noise of the training loss alone shows
FEWEST_VALIDATIONS = 5


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
    swings = _validation_noise(run, float(late.steps[0]))
    level = min(level, SUSPICION if swings is None else ramp(swings, 0.03, 0.15))
    text = (
        f"Over the second half of the run training loss has a median of {num4(level_now)} and noise of "
        f"{plus_minus(min(noise, 9.99))}; the learning rate ends at {percent(rate.last_share)} of its peak."
    )
    if swings is not None and level >= 0.5:
        text += f" Validation loss swings by {plus_minus(min(swings, 9.99))} too."
    values = {
        "noise": noise, "level": level_now, "change": course.change, "rate_share": rate.last_share,
        "validation_noise": swings,
    }  # fmt: skip
    return Sign(ID, noise, level, text, int(late.steps[0]) if level >= 0.5 else None, "info", values)


def _validation_noise(run: Run, since: float) -> float | None:
    """How far neighbouring validation losses lie apart, relative to their level; None where there are too few."""
    late = validation_loss(run).between(since, float("inf"))
    return spread_of_differences(late.ratios) if len(late) >= FEWEST_VALIDATIONS else None
