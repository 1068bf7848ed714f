"""How far the learning rate lies below what people use with this optimizer.

Fine-tuning takes a hundredth of the usual rate, and a loss that is summed over its samples a smaller one still: that
lies within a factor of a hundred, beyond a thousand hardly anything trains.
"""

from __future__ import annotations

from ...record import Run
from ...wording import num
from .. import questions
from .._base import Missing, Sign, ramp
from .._usual_rate import usual_rate

ID = "rate-below-usual"
QUESTION = questions.STEPS
SHOWS = "setting"


def measure(run: Run) -> Sign | Missing:
    found = usual_rate(run)
    if found is None:
        return Missing(ID, "the optimizer, or its rate, is not known")
    if any(call.reduction == "sum" for call in run.training_losses):
        return Missing(ID, "the loss is a sum over samples, for which no rate is usual")
    level = ramp(1.0 / found.ratio, 30.0, 1000.0, log=True)
    return Sign(
        ID,
        found.ratio,
        level,
        f"the learning rate of {found.name} is {num(found.peak)} (about {num(found.usual)} is typical)",
        onset=0 if level >= 0.5 else None,
        severity="warning" if level >= 0.5 else "info",
        values={"rate": found.peak, "usual": found.usual},
    )
