"""Whether the spikes that were replayed come from the batch itself."""

from __future__ import annotations

from ...record import Run
from .. import questions
from .._base import Missing, Sign
from .._spikes import spikes_from

ID = "spike-from-data"
QUESTION = questions.EXPERIMENTS
SHOWS = "dynamics"


def measure(run: Run) -> Sign | Missing:
    return spikes_from(ID, run, "data", "comes from its batch")
