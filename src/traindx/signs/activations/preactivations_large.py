"""Inputs of hidden sigmoid or tanh layers larger than 3 in magnitude, where these saturate.

Standardised inputs exceed 3 in 0.3 % of cases; a third of them is beyond what trained healthy layers show.
"""

from __future__ import annotations

from ...record import Run
from ...wording import counted, percent
from .. import questions
from .._base import Missing, Sign, if_raised, ramp
from .._hidden import hidden_share

ID = "preactivations-large"
QUESTION = questions.FLOW
SHOWS = "dynamics"
REMEDY = "Scale inputs and initial weights down."


def measure(run: Run) -> Sign | Missing:
    found = hidden_share(run, "preact_large", 0.0)
    if found is None:
        return Missing(ID, "no input of a hidden sigmoid or tanh layer was looked at")
    level = max(ramp(found.middle, 0.4, 0.8), ramp(found.worst, 0.7, 0.95))
    return Sign(
        ID,
        found.middle,
        level,
        f"{percent(found.worst)} of the pre-activations of layer `{found.layer}` exceed 3 in magnitude "
        f"(median of {counted(found.layers, 'layer')} {percent(found.middle)})",
        severity=if_raised(level, "warning"),
        values={"median": found.middle, "worst": found.worst, "layer": found.layer},
    )
