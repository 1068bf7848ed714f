"""Whether a loss that expects labels of -1 and 1 is given 0 and 1.

For a label of zero, soft margin loss does not depend on the score, and cosine and hinge embedding losses never push
dissimilar pairs apart.
"""

from __future__ import annotations

from ...record import Run
from ...record.values import mapping, number
from ...wording import num
from .. import checks, questions
from .._base import Missing, Sign, if_raised, place

ID = "labels-without-sign"
QUESTION = questions.LOSS_INPUTS
SHOWS = "fault"
CHECK = checks.LOSS_INPUTS


def measure(run: Run) -> Sign | Missing:
    calls = [(call, mapping(call.facts.get("signed"))) for call in run.training_losses]
    known = [(call, low, high) for call, signed in calls if (low := number(signed.get("min"))) is not None
             and (high := number(signed.get("max"))) is not None]  # fmt: skip
    if not known:
        return Missing(ID, "no loss that expects labels of -1 and 1 was called")
    call, low, high = min(known, key=lambda found: (found[1] != 0.0, found[2]))
    level = 1.0 if low == 0.0 and high == 1.0 else 0.0
    return Sign(
        ID,
        low,
        level,
        f"{call.fn} gets labels from {num(low)} to {num(high)}"
        + (" but expects -1 and 1" if level else "")
        + place(call.site),
        onset=0 if level else None,
        severity=if_raised(level, "critical"),
        values={"min": low, "max": high},
    )
