"""Weight decay against the gradient of the loss (or the rest of the update), in the first third of the looks.

Early on, the loss should steer: decay is a few hundredths of the gradient in ordinary runs. Later the two must meet,
for at the minimum of loss plus decay they are equal, so the late ratio says nothing.
"""

from __future__ import annotations

from ...record import Run
from ...wording import num
from .. import questions
from .._base import Missing, Sign, if_raised, place, ramp
from .._tables import typical

ID = "decay-dominates"
QUESTION = questions.STEPS
SHOWS = "condition"


def measure(run: Run) -> Sign | Missing:
    early = typical(run, "decay_ratio", 0.0, 1 / 3)
    if early is None:
        return Missing(ID, "no weight decay was measured against the gradient")
    decaying = [group for group in run.groups if (group.setting("weight_decay") or 0.0) > 0]
    setting = f" (weight_decay={num(decaying[0].setting('weight_decay') or 0.0)})" if decaying else ""
    level = ramp(early, 0.4, 3.0, log=True)
    return Sign(
        ID,
        early,
        level,
        f"the decay term{setting} is {num(early)} times the loss gradient early in the run (below 0.1 is typical)"
        + (place(decaying[0].site) if decaying else ""),
        onset=0 if level >= 0.5 else None,
        severity=if_raised(level, "critical"),
        values={"early": early, "whole": typical(run, "decay_ratio")},
    )
