"""The first loss over the loss of an untrained guess: ln(classes), or the targets' own size in a regression.

Ordinary initialisations start within 1.5 times chance (3 times in a regression). More means outputs far out of range
before any training.
"""

from __future__ import annotations

from ...record import Run
from ...wording import num
from .. import checks, questions
from .._base import Missing, Sign, if_raised, place, ramp
from .._first_loss import first_loss

ID = "first-loss-above-chance"
QUESTION = questions.START
SHOWS = "dynamics"
CORE = True
CHECK = checks.FIRST_LOSS


def measure(run: Run) -> Sign | Missing:
    found = first_loss(run)
    if found is None:
        return Missing(ID, "the first loss or its chance level is not known")
    level = ramp(found.ratio, found.room, 4 * found.room, log=True)
    return Sign(
        ID,
        found.ratio,
        level,
        f"the first loss is {num(found.loss)}, {num(found.ratio)} times that of an untrained model "
        f"({found.words} = {num(found.chance)}){place(found.call.site)}",
        onset=0 if level >= 0.5 else None,
        severity=if_raised(level, "warning"),
        values={"first": found.loss, "chance": found.chance},
    )
