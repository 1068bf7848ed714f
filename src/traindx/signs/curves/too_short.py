"""How many points there are to judge by.

Five losses show no more than a direction, twenty show a trend. A run that ends within its learning-rate warmup, or was
stopped within the first few percent of its planned steps, has not begun to train, however many points it left. A run
that was not observed to its end cannot be judged either.
"""

from __future__ import annotations

from ...record import Run
from .. import questions
from .._base import Missing, Sign, ramp
from .._rate import learning_rate
from ..curve import training_loss, validation_loss

ID = "too-short"
QUESTION = questions.TRAINED
SHOWS = "scope"
FIRST_PART = 0.05  # of the planned steps


def measure(run: Run) -> Sign | Missing:
    if run.kind == "interview":
        return Missing(ID, "losses that a person pasted are an excerpt")
    points = max(len(training_loss(run)), len(validation_loss(run)))
    rate = learning_rate(run)
    warming = rate is not None and rate.warming and not rate.curve.begins_late
    why = run.seen_in_part
    planned = run.planned_steps
    cut = planned is not None and run.steps < FIRST_PART * planned
    level = max(ramp(points, 14, 4), 0.7 if warming or why or cut else 0.0)
    values = {"points": points, "warming_up": warming, "planned": planned}
    if cut and not why:
        text = f"Only {run.steps:,} of {planned:,} planned steps {'was' if run.steps == 1 else 'were'} made."
        return Sign(ID, float(points), level, text, values=values)
    what = f"{points} loss{'' if points == 1 else 'es'}" if points else "no loss"
    end = f": the run was not observed to its end ({why})" if why else ""
    text = f"The record holds {what}{' and ends while the learning rate is still warming up' if warming else ''}{end}."
    return Sign(ID, float(points), level, text, values=values)
