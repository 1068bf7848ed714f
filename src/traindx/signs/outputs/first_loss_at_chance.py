"""Whether the first loss is that of an untrained guess, as it should be: 1 within a tenth, 0 beyond half as much again.

This one speaks for a run. Only classification has an exact level; the untrained output of a regression has a size of
its own.
"""

from __future__ import annotations

import math

from ...record import Run
from ...record.losses import REGRESSION
from ...wording import num
from .. import questions
from .._base import Missing, Sign, ramp
from .._first_loss import first_loss

ID = "first-loss-at-chance"
QUESTION = questions.START
SHOWS = "dynamics"


def measure(run: Run) -> Sign | Missing:
    found = first_loss(run)
    if found is None or found.call.kind in REGRESSION:
        return Missing(ID, "the first loss of a classification is not known")
    level = ramp(abs(math.log(found.ratio)), math.log(1.5), math.log(1.1)) if found.ratio > 0 else 0.0
    return Sign(
        ID,
        found.ratio,
        level,
        f"the first loss is {num(found.loss)} (chance is {found.words} = {num(found.chance)})",
        values={"first": found.loss, "chance": found.chance},
    )
