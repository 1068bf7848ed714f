"""How parallel successive gradients are: the median cosine after the first quarter of the run.

Mini-batch training shows 0 to 0.4, for noise turns each gradient. A cosine near 1 says that each step repeats the last
one: the steps, or the number of them, could be larger. The first quarter is left out because nearly every run begins
so. Training on the full data runs at 0.5 to 0.8 in health.
"""

from __future__ import annotations

from ...record import Run
from .._base import Missing, Sign, ramp
from .._tables import typical
from .._words import num

ID = "gradients-agree"
FEWEST = 4


def measure(run: Run) -> Sign | Missing:
    cosine = typical(run, "grad_cosine", 0.25)
    if cosine is None or len(run.series("grad_cosine").finite) < FEWEST:
        return Missing(ID, f"fewer than {FEWEST} cosines between successive gradients were measured")
    level = ramp(cosine, 0.7, 0.98)
    return Sign(
        ID,
        cosine,
        level,
        f"successive gradients have a median cosine of {num(cosine)} after the first quarter of the run"
        + (": each step repeats the direction of the last" if level >= 0.5 else ""),
        values={"median": cosine, "points": len(run.series("grad_cosine").finite)},
    )
