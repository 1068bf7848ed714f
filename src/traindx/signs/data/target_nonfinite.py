"""NaN or Inf in the targets before the loss. Where the loss stays finite they mark what is missing, by design."""

from __future__ import annotations

from ...record import Run
from .._base import Missing, Sign
from .._corrupt import corrupt

ID = "target-nonfinite"


def measure(run: Run) -> Sign | Missing:
    return corrupt(run, ID, "target", "targets/train", 0.2)
