"""Backward passes, and never an update.

Weights that moved were updated by hand, and a run that ended within its first passes had no time: both are fine.
"""

from __future__ import annotations

from ...record import Run
from ...record.values import number
from ...wording import counted
from .. import checks, questions
from .._base import Missing, Sign, if_raised, place
from .._optimizers import emptied_steps

ID = "backward-without-step"
QUESTION = questions.PARAMETERS
SHOWS = "fault"
RIVAL = ("update", 4.0)
CHECK = checks.WEIGHTS_MOVE
# A script that stops within so few backward passes may only be accumulating its first update.
FEWEST_BACKWARDS = 8


def measure(run: Run) -> Sign | Missing:
    backwards = number(run.facts.get("backwards"))
    if backwards is None:
        return Missing(ID, "backward passes were not counted")
    optimizers = run.entries("optimizers")
    stepped = sum(number(optimizer.get("steps")) or 0.0 for optimizer in optimizers)
    moved = [parameter.moved for parameter in run.parameters]
    if not optimizers and not any(move is not None for move in moved):
        return Missing(ID, "neither an optimizer nor the parameters' movement was seen")
    emptied = emptied_steps(run)
    if emptied is not None:
        return Sign(
            ID,
            backwards,
            1.0,
            f"gradients are cleared between backward and step: {counted(emptied, 'step')} found no gradient",
            onset=0,
            severity="critical",
            values={"backwards": backwards, "steps": stepped, "emptied": emptied},
        )
    level = 1.0 if backwards >= FEWEST_BACKWARDS and stepped == 0 and not any(moved) else 0.0
    sites = run.entries("backward_sites")
    where = place(sites[0].get("site")) if sites else ""
    return Sign(
        ID,
        backwards if level else 0.0,
        level,
        f"backward ran {counted(backwards, 'time')} and optimizer.step() {counted(stepped, 'time')}{where}",
        onset=0 if level else None,
        severity=if_raised(level, "critical"),
        values={"backwards": backwards, "steps": stepped},
    )
