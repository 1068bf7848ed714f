"""How trials that mix the batches are judged."""

from __future__ import annotations

from ...record import Run
from .._base import JudgedBy


def measure_of_mixing(run: Run) -> JudgedBy:
    """By the validation loss if there is one: on batches of one kind, a model that knows only the latest kind has a low
    training loss."""
    return "validation" if run.series("loss/validation") else "loss"
