"""Whether weights or steps blew up before the first non-finite number.

Weights that are not finite when the loss first is not, or steps, loss or values out of all proportion just before.
Where they were, the operation that made the first non-finite number was only the place where it showed.
"""

from __future__ import annotations

from ...record import Run
from ...record.values import number
from ...wording import num
from .. import questions
from .._base import Missing, Sign, if_raised
from .._nonfinite import BLOWN_RATIO, HUGE, all_finite, birth

ID = "nonfinite-from-weights"
QUESTION = questions.FINITE
SHOWS = "dynamics"
EXCUSES = {"nonfinite-from-operation": 0.2}


def measure(run: Run) -> Sign | Missing:
    found = birth(run)
    if found is None:
        if all_finite(run):
            return Sign(ID, 0.0, 0.0, "every value seen was finite")
        return Missing(ID, "where the first non-finite number came from was not seen")
    weights_gone = found.where == "weights" or found.loss.get("weights_finite") is False
    level = 1.0 if found.blown else 0.6 if weights_gone else 0.0
    ratio, norm = found.ratio, number(found.loss.get("grad_norm_before"))
    step = f" at step {found.step}" if found.step is not None else ""
    before = [f"the loss had gone from {num(found.grown[0])} to {num(found.grown[1])}" if found.grown else ""]
    reach = max(found.input_range, default=0.0)
    before.append(f"values had reached {num(reach)}" if reach > HUGE else "")
    if not any(before) or (ratio or 0.0) > BLOWN_RATIO:
        before.append(f"the last update/weight ratio was {num(ratio)}" if ratio is not None else "")
        before.append(f"the last gradient norm was {num(norm)}" if norm is not None else "")
    details = ", ".join(filter(None, before)) or "updates were not measured"
    claim = "training had already blown up before" if level >= 0.5 else "nothing shows that training blew up before"
    if weights_gone and not found.blown:
        claim = "the weights were already non-finite at"
    return Sign(
        ID,
        level,
        level,
        f"{claim} the first non-finite value{step}: {details}",
        onset=found.step,
        severity=if_raised(level, "critical"),
        values={"weights_finite": found.loss.get("weights_finite"), "update_ratio": ratio, "grad_norm": norm},
    )
