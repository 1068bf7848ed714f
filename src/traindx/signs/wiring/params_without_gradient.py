"""Weights that the optimizer holds and the forward pass uses, whose gradient is None at every step.

The path from the loss to them is cut. Measured as a share of such weights, by tensors or elements.
"""

from __future__ import annotations

from ...record import Run
from .._base import Missing, Sign
from .._starved import starved

ID = "params-without-gradient"


def measure(run: Run) -> Sign | Missing:
    return starved(run, ID, "none", "never got a gradient")
