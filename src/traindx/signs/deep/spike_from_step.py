"""Whether the spikes that were replayed come from the step before it."""

from __future__ import annotations

from ...record import Run
from .. import questions
from .._base import Missing, Sign
from .._spikes import spikes_from

ID = "spike-from-step"
QUESTION = questions.EXPERIMENTS
SHOWS = "dynamics"


def measure(run: Run) -> Sign | Missing:
    return spikes_from(ID, run, "step", "comes from the update before it, not from its batch")
