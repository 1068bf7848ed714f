"""Whether the script died because the loss has no graph behind it: torch's own words say so, 1 or 0."""

from __future__ import annotations

from ...record import Run
from .. import questions
from .._base import Missing, Sign
from .._crash import died_saying

ID = "crash-no-graph"
QUESTION = questions.PARAMETERS
SHOWS = "fault"
RIVAL = ("update", 4.0)


def measure(run: Run) -> Sign | Missing:
    return died_saying(
        run,
        ID,
        "does not require grad",
        "the loss depends on no trainable weight",
        "no backward pass failed for a missing graph",
    )
