"""How long the last stretch without progress is, and how much of the starting loss is left there.

Progress is measured against the level and the noise (`_flat.py`). A flat end is normal once the learning rate has run
out, so only the stretch where the learning rate was at least a tenth of its peak counts. Without the chance level, a
curve cannot show whether the task allows a lower loss: from a log alone, a level below a third of the first loss counts
as learned.
"""

from __future__ import annotations

import numpy as np

from ...record import Run
from ...wording import num4, percent
from .. import questions
from .._base import Missing, Severity, Sign, ramp
from .._chance import chance_level
from .._flat import FlatTail, training_flat_tail
from .._rate import learning_rate
from ..curve import Curve, is_excerpt, moment, training_loss

ID = "loss-plateau"
QUESTION = questions.FALLS
SHOWS = "outcome"
END = "step"
DOUBT_FROM = 0.8
NEEDS_TIME = True


def measure(run: Run) -> Sign | Missing:
    loss = training_loss(run)
    if len(loss) < 8:
        return Missing(ID, "fewer than eight training losses were recorded")
    tail = training_flat_tail(run)
    if tail is None:
        return Sign(ID, 0.0, 0.0, _moving(loss), values={"last": loss.final, "smoothed_last": loss.last})
    share = _share_with_rate(run, loss, tail)
    left = _left(run, loss, tail)
    values = {"share": share, "left": left, "level": tail.level, "fall": tail.fall, "points": tail.points}
    flat = f"Training loss has stayed at {num4(tail.level)} (median) since {moment(run, tail.step)}"
    if is_excerpt(run):
        # An excerpt: flat, but nobody knows where it came from.
        level = min(0.5, ramp(tail.share, 0.3, 0.6)) if tail.points >= 10 else 0.0
        return Sign(ID, share, level, f"{flat}, the whole of this excerpt.", tail.step, "info", values)
    certain = min(ramp(share, 0.3, 0.5), ramp(tail.points, 5, 15), _progressed(loss, tail), _sure(loss, tail))
    level = min(certain, ramp(left, 0.35, 0.6))
    if loss.logarithmic and tail.level > 1 and share >= 0.5:
        # Decades down, then flat at a number no loss is made to end at: worth a note, not more.
        level = max(level, 0.5)
    text = f"{flat} ({percent(share)} of the run), {percent(left)} of {'chance' if _known(run) else 'its first value'}."
    severity: Severity = "warning" if level >= 0.8 else "info"
    return Sign(ID, share, level, text, tail.step, severity, values)


def _moving(loss: Curve) -> str:
    quarter = loss.values[len(loss) * 3 // 4 :]
    few = max(1, len(quarter) // 3)
    began, ended = float(np.median(quarter[:few])), float(np.median(quarter[-few:]))
    return f"Training loss goes from {num4(began)} to {num4(ended)} (smoothed) in the last quarter of the run."


def _known(run: Run) -> bool:
    return chance_level(run) is not None


def _share_with_rate(run: Run, loss: Curve, tail: FlatTail) -> float:
    """The flat stretch as a share of the run, counted only where the learning rate had not run out."""
    rate = learning_rate(run)
    if rate is None:
        return tail.share
    flat = loss.steps >= tail.step
    return float(np.mean(flat & (rate.share_at(loss.steps.astype(np.float64)) >= 0.1)))


def _left(run: Run, loss: Curve, tail: FlatTail) -> float:
    chance = chance_level(run)
    reference = chance.loss if chance is not None else loss.first
    return float(np.clip(tail.level / reference, 0.0, 10.0)) if reference > 0 else 0.0


def _progressed(loss: Curve, tail: FlatTail) -> float:
    """Earlier progress, 0 to 1: the stretch does not reach back to the start, or the first value lay well above it."""
    least = 0.01 if tail.share < 0.9 else 0.03
    noise = 3 * tail.noise * abs(tail.level)
    if loss.first <= tail.level:
        return 0.0
    gross = max(2 * least * abs(loss.first), noise * 5 / 3)
    return ramp(loss.first - tail.level, max(least * abs(loss.first), noise), gross)


def _sure(loss: Curve, tail: FlatTail) -> float:
    """0 to 1: noise must not leave room for progress, in itself or against what had been gained before."""
    most = tail.fall + 2 * tail.error
    gained = (loss.first - tail.level) / (abs(loss.first) or 1.0)
    against_gain = ramp(most / gained, 0.4, 0.2) * ramp(gained, 0.15, 0.25) if gained > 0 else 0.0
    return max(ramp(most, 0.03, 0.015), against_gain)
