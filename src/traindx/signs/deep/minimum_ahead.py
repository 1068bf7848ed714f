"""Where the minimum lies along the steps looked at, in lengths of the step: above 1 it is still ahead.

This describes; whether steps are too long is for `steps-make-worse`, since a minimum just passed costs nothing.
"""

from __future__ import annotations

import numpy as np

from ...record import Run
from ...record.values import number, truth
from ...wording import num
from .. import questions
from .._base import Missing, Sign
from .._deep import looks_at

ID = "minimum-ahead"
QUESTION = questions.STEPS
SHOWS = "dynamics"
FAR = 100.0  # step lengths: as good as straight down


def measure(run: Run) -> Sign | Missing:
    looks = [(step, found) for step, found in looks_at(run, "along_step") if truth(found.get("flat")) is not True]
    places = [(step, FAR if truth(found.get("falls_on")) else number(found.get("minimum"))) for step, found in looks]
    known = [(step, min(place, FAR)) for step, place in places if place is not None]
    if not known:
        return Missing(ID, "the loss along a step was not computed")
    typical, (step, last) = float(np.median([place for _, place in known])), known[-1]
    if last >= FAR:
        words = "the loss keeps falling"
    elif last > 1:
        words = f"the minimum lies ahead, at {num(last)} times the step length"
    elif last > 0:
        words = f"the minimum lies at {num(last)} times the step length: the step overshot it"
    else:
        words = "the loss of the step's own batch rises from the start"
    text = f"along the update before step {num(step)}, {words}"
    return Sign(ID, typical, 0.0, text, values={"last": last, "median": typical, "looks": len(known)})
