"""Whether one operation made the first non-finite number.

The replay names it. A gradient that is not finite while the loss still is points to an operation whose derivative has
a hole (square root or norm at 0).
"""

from __future__ import annotations

from ...record import Run
from ...wording import num
from .. import checks, questions
from .._base import Missing, Sign, if_raised, place
from .._nonfinite import all_finite, birth

ID = "nonfinite-from-operation"
QUESTION = questions.FINITE
SHOWS = "fault"
RIVAL = ("number", 3.0)
CHECK = checks.FIRST_STEPS


def measure(run: Run) -> Sign | Missing:
    found = birth(run)
    if found is None:
        if all_finite(run):
            return Sign(ID, 0.0, 0.0, "every value seen was finite")
        return Missing(ID, "where the first non-finite number came from was not seen")
    named = found.where in ("forward", "loss", "backward")
    level = 1.0 if named and found.op else 0.8 if named or (found.gradient_first and not found.where) else 0.0
    known = (found.op or found.module).lstrip("_")
    maker = f"`{known}`" if known else "an operation"
    reach = f" from inputs up to {num(max(found.input_range))} in magnitude" if found.input_range else ""
    where = "the loss" if found.where == "loss" else f"the {found.where or 'backward'} pass"
    step = f" at step {found.step}" if found.step is not None else ""
    return Sign(
        ID,
        level,
        level,
        f"{maker} produced the first non-finite value{step} in {where}{reach}{place(found.site)}"
        if named or found.gradient_first
        else f"the first non-finite value{step} was not traced to one operation",
        onset=found.step,
        severity=if_raised(level, "critical"),
        values={"where": found.where, "op": found.op, "module": found.module, "blown_up_before": found.blown},
    )
