"""How far the gradient norm has fallen: by orders of magnitude where a minimum was reached.

Steps that pass the minimum to and fro, or a learning rate that is too high, keep the gradient up. A gradient that is
gone says nothing good by itself: dead units have none either.
"""

from __future__ import annotations

import math

from ...record import Run
from ...wording import num
from .. import questions
from .._base import Missing, Sign, ramp
from .._tables import typical

ID = "gradient-settled"
QUESTION = questions.STEPS
SHOWS = "dynamics"
END = "light"


def measure(run: Run) -> Sign | Missing:
    early, late = typical(run, "grad_norm", 0.0, 0.05), typical(run, "grad_norm", 0.9, 1.0)
    if early is None or late is None or early <= 0 or late < 0:
        return Missing(ID, "no gradient norm was recorded")
    decades = math.log10(max(early / max(late, 1e-30), 1e-300))
    return Sign(
        ID,
        decades,
        ramp(decades, 2.0, 4.0),
        f"the gradient norm goes from {num(early)} early in the run to {num(late)} late in the run",
        values={"early": early, "late": late},
    )
