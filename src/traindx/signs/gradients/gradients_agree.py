"""How parallel successive gradients are: the median cosine after the first quarter of the run.

Mini-batch training shows 0 to 0.5, because noise turns each gradient; training on the full data shows up to 0.9. A
cosine of nearly 1 means that each step repeats the last one: steps could be larger, or there could be more of them. The
first quarter is left out because nearly every run begins like this, and adversarial training because its networks drift
together.
"""

from __future__ import annotations

from ...record import Run
from ...wording import num
from .. import questions
from .._base import Missing, Sign, ramp
from .._tables import typical

ID = "gradients-agree"
QUESTION = questions.STEPS
SHOWS = "dynamics"
FEWEST = 4


def measure(run: Run) -> Sign | Missing:
    cosine = typical(run, "grad_cosine", 0.25)
    if cosine is None or len(run.series("grad_cosine").finite) < FEWEST:
        return Missing(ID, f"fewer than {FEWEST} cosines between successive gradients were measured")
    level = ramp(cosine, 0.9, 0.995) if len(run.entries("optimizers")) < 2 else 0.0
    return Sign(
        ID,
        cosine,
        level,
        f"the median cosine of successive gradients is {num(cosine)} after the first quarter of the run"
        + (": each step repeats the last direction" if level >= 0.5 else "")
        + " (0 to 0.5 is typical)",
        values={"median": cosine, "points": len(run.series("grad_cosine").finite)},
    )
