"""How noisy a flat late loss is where the rate was never lowered.

At a constant rate the loss ends in a noise ball whose size follows the rate: flat, with swings that are large against
the level and against what is left of the trend. A tenth of the level is ordinary batch noise, two fifths is not.
"""

from __future__ import annotations

import math

from ...record import Run
from .._base import Missing, Sign, ramp
from .._curve import spread_of_differences, training_loss
from .._flat import flat_tail
from .._rate import learning_rate
from .._wording import number, percent

ID = "late-noise-floor"


def measure(run: Run) -> Sign | Missing:
    loss, rate = training_loss(run), learning_rate(run)
    if len(loss) < 30:
        return Missing(ID, "fewer than thirty training losses were recorded")
    if rate is None:
        return Missing(ID, "the learning rate was not recorded")
    tail = flat_tail(loss)
    if tail is None or rate.last_share < 0.9:
        why = "lowered" if rate.last_share < 0.9 else "kept, but the loss is still moving"
        return Sign(ID, 0.0, 0.0, f"The rate was {why} towards the end.")
    late = loss.between(tail.step, float("inf"))
    noise = spread_of_differences(late.ratios)
    trend_share = abs(tail.fall) / (noise + 1e-12)
    fell = loss.first > tail.level
    level = min(ramp(noise, 0.1, 0.4), ramp(trend_share, 0.5, 0.2), ramp(tail.share, 0.25, 0.5)) if fell else 0.0
    text = (
        f"Since step {tail.step} the loss stays around {number(tail.level)} with noise of ±{percent(min(noise, 9.99))} "
        f"at an undiminished rate of {number(float(rate.curve.values[-1]))}."
    )
    values = {"noise": noise, "level": tail.level, "share": tail.share, "fall": tail.fall}
    value = noise if math.isfinite(noise) else 0.0
    return Sign(ID, value, level, text, tail.step if level >= 0.5 else None, "info", values)
