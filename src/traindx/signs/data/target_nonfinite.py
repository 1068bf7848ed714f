"""NaN or Inf in the targets before the loss. Where the loss stays finite they mark what is missing, by design."""

from __future__ import annotations

from ...record import Run
from .. import checks, questions
from .._base import Missing, Sign
from .._corrupt import corrupt

ID = "target-nonfinite"
QUESTION = questions.DATA
SHOWS = "fault"
RIVAL = ("number", 4.0)
CHECK = checks.FINITE_DATA


def measure(run: Run) -> Sign | Missing:
    return corrupt(run, ID, "target", "targets/train", 0.2)
