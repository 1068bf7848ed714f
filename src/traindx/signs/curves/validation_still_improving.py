"""What twice the training would bring on validation, by its fall over the second half of the run.

The training loss of a model that memorises falls for ever; only a validation loss that is still falling shows that more
training would help. A fall of 3 % is little, of 15 % is not; it counts where the evaluations at the end are the best,
and in proportion to the learning rate that is left: a schedule that has run out was not stopped early.
"""

from __future__ import annotations

import numpy as np

from ...record import Run
from ...wording import percent
from .. import questions
from .._base import Missing, Sign, ramp
from .._rate import rate_left
from .._trend import size_z, trend
from ..curve import adversarial, validation_loss

ID = "validation-still-improving"
QUESTION = questions.VALIDATION
SHOWS = "dynamics"
END = "step"
FEWEST = 4
TYPICAL_NOISE = 0.02  # of one evaluation, relative


def measure(run: Run) -> Sign | Missing:
    loss = validation_loss(run)
    if len(loss) < FEWEST:
        return Missing(ID, f"fewer than {FEWEST} validation losses were recorded")
    if adversarial(run):
        return Missing(ID, "the losses of adversarial networks do not fall")
    if loss.values.min() <= 0:
        return Missing(ID, "a validation loss that is not positive has no ratios")
    late = loss.ratios[len(loss) // 2 - 1 :]
    course = trend(np.arange(len(late), dtype=np.float64), late)
    gain = 1.0 - float(np.exp(course.change))
    # The best of the last evaluations must not have been bettered before.
    end = max(1, len(loss) // 5)
    at_best = bool(loss.values[-end:].min() <= loss.values.min())
    z = min(course.z, size_z(course, np.arange(len(late), dtype=np.float64), late, TYPICAL_NOISE))
    falls = course.change < 0 and z <= -1.7 and late[-1] < late[0]
    level = ramp(gain * rate_left(run), 0.03, 0.15) if at_best and falls else 0.0
    fell = f"fell by {percent(gain)}" if gain >= 0 else f"rose by {percent(-gain)}"
    text = f"Validation loss {fell} over the second half of the run"
    text += " and was at its minimum at the end." if level >= 0.5 else "."
    values = {"gain": gain, "z": z, "at_best": at_best}
    return Sign(ID, gain, level, text, int(loss.steps[-1]) if level >= 0.5 else None, "info", values)
