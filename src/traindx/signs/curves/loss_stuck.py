"""Whether the training loss never left the level it started from.

The whole course is flat (`_flat.py`) and the first value is no better and no worse than the rest. `at_chance` is
true where the level is within 3 % of the trivial predictor's loss. A loss that is the same number to five digits on
different batches is stuck whatever came before. While the rate is still warming up, or zero, nothing can be said.
"""

from __future__ import annotations

import numpy as np

from ...record import Run
from .. import questions
from .._base import Missing, Severity, Sign, ramp
from .._chance import chance_level
from .._curve import Curve, adversarial, is_excerpt, training_loss
from .._flat import training_flat_tail
from .._rate import learning_rate
from .._wording import number, percent

ID = "loss-stuck"
QUESTION = questions.FALLS
SHOWS = "outcome"
CORE = True
BAD_FROM = 0.7
DOUBT_FROM = 0.5
NEEDS_TIME = True

SAME = 1e-5  # relative spread below which losses of different batches are one constant


def measure(run: Run) -> Sign | Missing:
    loss = training_loss(run)
    if len(loss) < 5:
        return Missing(ID, "fewer than five training losses were recorded")
    rate = learning_rate(run)
    if rate is not None and (rate.peak == 0 or (rate.warming and rate.curve.steps[-1] >= loss.steps[-1])):
        return Missing(ID, "the rate was zero or still warming up")
    level, middle = 0.0, float(np.median(loss.values))
    constant = _constant(loss)
    tail = training_flat_tail(run)
    if constant:
        level = 1.0
    elif tail is not None and tail.level != 0 and tail.share >= 0.9 and not is_excerpt(run):
        start = loss.first - tail.level
        near = ramp(
            abs(start),
            max(0.1 * abs(tail.level), 5 * tail.noise * abs(tail.level)),
            max(0.03 * abs(tail.level), 3 * tail.noise * abs(tail.level)),
        )
        # Noise as large as the level itself (rewards, differences) hides any progress there may be.
        level = (
            near
            * ramp(tail.points, 4, 9)
            * ramp(loss.noise / (1.0 if loss.logarithmic else abs(tail.level) or 1.0), 0.5, 0.25)
        )
    if adversarial(run) and not constant:
        level = min(level, 0.4)
    chance = chance_level(run)
    at_chance = chance is not None and abs(middle / chance.loss - 1) < 0.03
    values = {"level": middle, "first": loss.first, "last": loss.last, "at_chance": at_chance, "constant": constant}
    change = tail.fall if tail is not None else (loss.first - loss.last) / (abs(loss.first) or 1.0)
    if level < 0.5:
        text = f"The training loss went from {number(loss.first)} to {number(loss.last)}."
        return Sign(ID, change, level, text, None, "info", values)
    where = f", which is chance ({chance.text})" if chance is not None and at_chance else ""
    moved = "the same number throughout" if constant else f"a trend of {percent(abs(change))} over the run"
    text = f"The training loss stays at {number(middle)}{where} over all {len(loss)} points, {moved}."
    severity: Severity = "critical" if constant or at_chance else "warning" if level >= 0.8 else "info"
    return Sign(ID, change, level, text, int(loss.steps[0]), severity, values)


def _constant(loss: Curve) -> bool:
    """One number on different batches. A loss of zero is not stuck, and rounding to few digits proves nothing."""
    size = abs(float(np.median(loss.values)))
    if size == 0 or np.ptp(loss.values) > SAME * size:
        return False
    digits = max(len(f"{v:.10g}".replace(".", "").strip("-0")) for v in loss.values[:50])
    return len(loss) >= 10 or digits >= 5
