"""NaN or Inf in the inputs before the model runs. Tolerable only where the loss stays finite all the same."""

from __future__ import annotations

from ...record import Run
from .. import checks, questions
from .._base import Missing, Sign
from .._corrupt import corrupt

ID = "input-nonfinite"
QUESTION = questions.DATA
SHOWS = "fault"
RIVAL = ("number", 4.0)
CORE = True
CHECK = checks.FINITE_DATA


def measure(run: Run) -> Sign | Missing:
    return corrupt(run, ID, "input", "data/train", 0.4)
