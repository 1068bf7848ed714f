"""Whether the gradient norm is zero or has all but vanished while the loss is not at its minimum.

Vanished: a ten-thousandth of its early median. A norm of exactly zero beside a loss that moves was not measured
(some programs print 0.000 where they have none), and a norm that falls with a loss near its floor is as it should be;
so is one that fell by degrees, as the loss did: it has arrived.
"""

from __future__ import annotations

import numpy as np

from ...record import Run
from ...record.types import FloatArray
from ...wording import num4
from .. import questions
from .._base import Missing, Sign, ramp
from .._flat import flat_tail
from ..curve import gradient_norm, moment, training_loss

ID = "gradients-zero"
QUESTION = questions.FLOW
SHOWS = "outcome"
END = "step"
DOUBT_FROM = 0.8
VANISHED = 1e-4


def measure(run: Run) -> Sign | Missing:
    norm, loss = gradient_norm(run), training_loss(run)
    if len(norm) < 3:
        return Missing(ID, "fewer than three gradient norms were recorded")
    early = float(np.median(norm.values[: max(3, len(norm) // 10)]))
    gone = norm.values <= (VANISHED * early if early > 0 else 0.0)
    present = np.flatnonzero(~gone)
    begin = int(present[-1]) + 1 if len(present) else 0
    stretch = len(norm) - begin
    share = stretch / len(norm)
    values = {"early": early, "last": float(norm.values[-1]), "share": share}
    level = 0.0
    if stretch >= 3 and len(loss) >= 3:
        rest = loss.between(float(norm.steps[begin]), float("inf"))
        still = len(rest) < 5 or flat_tail(rest) is not None
        unfinished = loss.last > 0.05 * loss.first if loss.first > 0 else True
        level = ramp(share, 0.02, 0.2) if still and unfinished else 0.0
        if _ran_out(norm.values[:begin], early) and loss.last < 0.95 * float(loss.values[0]):
            level = min(level, 0.3)
    elif stretch >= 3:
        level = 0.5 * ramp(share, 0.02, 0.2)
    if level < 0.5:
        text = f"Gradient norm ends at {num4(values['last'])}; its early median was {num4(early)}."
        return Sign(ID, share, level, text, None, "info", values)
    onset = int(norm.steps[begin])
    what = "zero" if norm.values[begin:].max() == 0 else f"below a ten-thousandth of its early {num4(early)}"
    where = f" while training loss stays at {num4(loss.last)}" if len(loss) else ""
    text = f"Gradient norm is {what} from {moment(run, onset)} on{where}."
    return Sign(ID, share, level, text, onset, "critical", values)


def _ran_out(before: FloatArray, early: float) -> bool:
    """Whether the norm went down by degrees: several were recorded on the way."""
    return int(((before < 0.1 * early) & (before > VANISHED * early)).sum()) >= 3
