"""Weights that the optimizer holds and the forward pass uses, whose gradient is exactly zero at every step.

Weight matrices only: biases before a norm and embeddings of unseen tokens have zero gradients in healthy runs.
"""

from __future__ import annotations

from ...record import Run
from .. import checks, questions
from .._base import Missing, Sign
from .._starved import starved

ID = "params-zero-gradient"
QUESTION = questions.PARAMETERS
SHOWS = "dynamics"
CHECK = checks.GRADIENTS_ARRIVE
REMEDY = "Look for dead units, saturated outputs or a part that is multiplied by zero."


def measure(run: Run) -> Sign | Missing:
    return starved(run, ID, "zero", "got a gradient of exactly zero at every step")
