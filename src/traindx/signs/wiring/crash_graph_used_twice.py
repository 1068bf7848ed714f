"""Whether the script died because a backward met the freed graph of an earlier step: torch says so itself, 1 or 0."""

from __future__ import annotations

from ...record import Run
from .. import questions
from .._base import Missing, Sign
from .._crash import died_saying

ID = "crash-graph-used-twice"
QUESTION = questions.TIME
SHOWS = "fault"


def measure(run: Run) -> Sign | Missing:
    return died_saying(
        run,
        ID,
        "backward through the graph a second time",
        "the loss depends on a tensor of an earlier step, whose graph was freed",
        "no backward pass used the graph of an earlier step",
    )
