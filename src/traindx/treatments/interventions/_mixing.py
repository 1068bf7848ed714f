"""What mixed batches are judged by."""

from __future__ import annotations

from ...record import Run
from .._base import JudgedBy


def measure_of_mixing(run: Run) -> JudgedBy:
    """The loss on batches of one kind is low for a model that knows nothing but the latest kind: evaluations tell."""
    return "validation" if run.series("loss/validation") else "loss"
