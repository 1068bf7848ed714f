"""Weights that the optimizer holds and the forward pass uses, whose gradient is None at every step.

The path from the loss to them is cut. Measured as a share of such weights, by tensors or elements.
"""

from __future__ import annotations

from ...record import Run
from .. import checks, questions
from .._base import Missing, Sign
from .._starved import starved

ID = "params-without-gradient"
QUESTION = questions.PARAMETERS
SHOWS = "fault"
RIVAL = ("update", 2.0)
CHECK = checks.GRADIENTS_ARRIVE
REMEDY = "Look for detach(), no_grad(), .data or a part that the loss does not use."


def measure(run: Run) -> Sign | Missing:
    return starved(run, ID, "none", "never got a gradient")
