"""Whether the loss is the size of a mean error: errors of unlike sign cancel, and any spread of answers is as good.

`(output - target).mean().abs()` falls to zero as soon as the mean is right. The graph shows the order of the two.
"""

from __future__ import annotations

from ...record import Run
from .. import checks, questions
from .._base import Missing, Sign, if_raised

ID = "errors-cancel"
QUESTION = questions.LOSS_INPUTS
SHOWS = "fault"
CHECK = checks.LOSS_INPUTS


def measure(run: Run) -> Sign | Missing:
    known = [graph.get("errors_cancel") for graph in run.graphs]
    known = [cancel for cancel in known if isinstance(cancel, bool)]
    if not known:
        return Missing(ID, "the graph behind the loss was not looked at")
    level = 1.0 if any(known) else 0.0
    words = (
        "the loss is the absolute mean error: errors of opposite sign cancel"
        if level
        else "the loss averages the magnitude of each error"
    )
    return Sign(ID, level, level, words, onset=0 if level else None, severity=if_raised(level, "critical"))
