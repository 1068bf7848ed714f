"""Whether the script never ran a backward pass and never updated a weight: 1 or 0.

A script whose first loss was already not finite did set out to train.
"""

from __future__ import annotations

from ...record import Run
from ...record.values import number
from ...wording import counted
from .. import questions
from .._base import Missing, Sign

ID = "never-trained"
QUESTION = questions.TRAINED
SHOWS = "scope"


def measure(run: Run) -> Sign | Missing:
    backwards = number(run.facts.get("backwards"))
    if backwards is None:
        return Missing(ID, "backward passes were not counted")
    forwards = number(run.facts.get("forwards")) or 0.0
    level = 1.0 if backwards <= 0 and run.steps <= 0 and not run.events_of("nonfinite-loss") else 0.0
    return Sign(
        ID,
        backwards,
        level,
        f"the script called forward {counted(forwards, 'time')} and backward {counted(backwards, 'time')}, and made "
        f"{counted(run.steps, 'update')}",
        severity="critical" if level else "info",
    )
