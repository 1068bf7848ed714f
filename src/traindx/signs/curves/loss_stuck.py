"""Whether the training loss never left the level it started from.

The start against the lowest smoothed level (`_fall.py`): the fall is neither significant nor more than a tenth. Noise
that could hide more than that is no-learning-signal's business. `at_chance` is true where the level is within 3 % of
the trivial predictor's loss; there a high first value is no progress. A loss that is the same number to five digits on
different batches is stuck whatever came before.
"""

from __future__ import annotations

import numpy as np

from ...record import Run
from ...wording import num4, percent
from .. import questions
from .._base import Missing, Severity, Sign, ramp
from .._chance import accuracy_curve, chance_level
from .._fall import Fall, around_zero, constant_loss, fall_of
from .._rise import rise_of
from ..curve import Curve, is_excerpt, stop, training_loss

ID = "loss-stuck"
QUESTION = questions.FALLS
SHOWS = "outcome"
END = "step"
CORE = True
BAD_FROM = 0.7
DOUBT_FROM = 0.5
NEEDS_TIME = True
FLAT = 0.03  # a larger fall that noise may have made is a doubt
HIGH = 0.75  # an accuracy that guessing does not reach


def measure(run: Run) -> Sign | Missing:
    loss = training_loss(run)
    if len(loss) < 5:
        return Missing(ID, "fewer than five training losses were recorded")
    constant, middle = constant_loss(run), float(np.median(loss.values))
    if around_zero(loss) and not constant:
        return Missing(ID, "the loss hovers around zero, so its fall has no size")
    if is_excerpt(run) and not constant:
        return Missing(ID, "the start of the run was not recorded")
    chance = chance_level(run)
    at_chance = chance is not None and abs(middle / chance.loss - 1) < 0.03
    # At chance the first value tells of the initial outputs only.
    judged = Curve(loss.steps[1:], loss.values[1:]) if at_chance and len(loss) > 5 else loss
    fall = fall_of(judged)
    level = 1.0 if constant else _flatness(judged, fall) * ramp(len(loss), 4, 9)
    share = fall.share if fall is not None else 0.0
    values = {
        "level": middle, "first": loss.first, "last": loss.final, "at_chance": at_chance, "constant": constant,
        "fall": share, "z": fall.z if fall is not None else 0.0,
    }  # fmt: skip
    if level < 0.5:
        text = f"Training loss goes from {num4(loss.first)} (start) to {num4(loss.last)} (end, smoothed)."
        return Sign(ID, share, level, text, None, "info", values)
    where = f", which is chance ({chance.text})," if chance is not None and at_chance else ""
    moved = "the same number throughout" if constant else f"at most {percent(max(share, 0.0))} below its start"
    text = f"Training loss stays at {num4(middle)}{where} over all {len(loss)} points, {moved}."
    severity: Severity = "critical" if constant or at_chance else "warning" if share < FLAT else "info"
    if not constant and len(accuracy_curve(run)) and accuracy_curve(run).last > HIGH:
        severity = "info"  # a trained model has little left to lose
    return Sign(ID, share, level, text, int(loss.steps[0]), severity, values)


def _flatness(curve: Curve, fall: Fall | None) -> float:
    """0 to 1: no fall that is large, none that is both significant and worth having, and no rise either."""
    if fall is None or float(np.median(curve.values)) == 0:
        return 0.0
    rise = rise_of(curve, 0.03)
    insignificant = max(ramp(fall.z, 3.5, 2.0), ramp(fall.share, 0.02, 0.01))
    return min(insignificant, ramp(fall.share, 0.12, 0.06), ramp(rise.ratio, 0.2, 0.1))


def do_now(_sign: Sign, run: Run) -> str:
    return f"{stop(run)}: more steps with these settings will not help. Overfit one batch first (traindx check)."
