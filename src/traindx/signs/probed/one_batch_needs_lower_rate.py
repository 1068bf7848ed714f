"""Whether one batch is learnt at a lower rate than the script's, and not at the script's own."""

from __future__ import annotations

from ...record import Run
from .. import questions
from .._base import Missing, Sign
from .._other_rates import at_other_rate

ID = "one-batch-needs-lower-rate"
QUESTION = questions.EXPERIMENTS
SHOWS = "dynamics"


def measure(run: Run) -> Sign | Missing:
    return at_other_rate(ID, run, lower=True)
