"""A ReLU between the last layer and a loss that takes logits.

No score can fall below zero then. A class whose score is zero for every sample gets no gradient any more, and a sample
whose scores are all zero is predicted by chance.
"""

from __future__ import annotations

from ...record import Run
from ...wording import num
from .. import checks, questions
from .._base import Missing, Sign, if_raised, place
from .._output import made_by

ID = "logits-clipped"
QUESTION = questions.LOSS_INPUTS
SHOWS = "fault"
RIVAL = ("loss", 2.5)
CHECK = checks.LOSS_INPUTS
TAKE_LOGITS = ("cross_entropy", "binary_cross_entropy_with_logits", "multi_margin_loss")


def measure(run: Run) -> Sign | Missing:
    calls = [call for call in run.training_losses if call.fn in TAKE_LOGITS and call.input.min is not None]
    if not calls:
        return Missing(ID, "no call of a loss that takes logits was seen")
    clipped = [call for call in calls if call.input.min == 0.0 and made_by(run, call) == "relu"]
    call = (clipped or calls)[0]
    level = 1.0 if clipped and len(clipped) == len(calls) else 0.0
    low, high = num(call.input.min or 0.0), num(call.input.max or 0.0)
    words = f"{call.fn} takes logits, but a ReLU cuts them off at zero: values from {low} to {high}"
    return Sign(
        ID,
        float(level > 0),
        level,
        f"{words}{place(call.site)}" if level else "no ReLU lies between the last layer and the loss",
        onset=0 if level else None,
        severity=if_raised(level, "critical"),
        values={"activation": "relu"},
    )
