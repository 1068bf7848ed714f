"""Outputs of hidden sigmoid or tanh layers within 3 % of their limits, where the derivative is about zero.

A tenth to a third is ordinary in a trained network. The median layer decides over the whole run, or one layer that is
saturated nearly throughout.
"""

from __future__ import annotations

from ...record import Run
from ...wording import counted, percent
from .. import questions
from .._base import Missing, Sign, if_raised, ramp
from .._hidden import hidden_share

ID = "saturated-units"
QUESTION = questions.FLOW
SHOWS = "dynamics"
RIVAL = ("signal", 1.5)
REMEDY = "Scale inputs and initial weights down, or use ReLU-like activations."


def measure(run: Run) -> Sign | Missing:
    found = hidden_share(run, "act_saturated", 0.0)
    if found is None:
        return Missing(ID, "no hidden sigmoid or tanh layer was looked at")
    level = max(ramp(found.middle, 0.4, 0.8), ramp(found.worst, 0.7, 0.95))
    start = hidden_share(run, "act_saturated", 0.0, 0.1)
    return Sign(
        ID,
        found.middle,
        level,
        f"{percent(found.worst)} of the outputs of layer `{found.layer}` are saturated (within 3 % of a limit; "
        f"median of {counted(found.layers, 'layer')} {percent(found.middle)})",
        onset=0 if level >= 0.5 and start is not None and start.worst > 0.5 else None,
        severity=if_raised(level, "warning"),
        values={"median": found.middle, "worst": found.worst, "layer": found.layer},
    )
