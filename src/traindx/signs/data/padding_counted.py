"""The share of the targets that are filler at the ends of rows and count in the loss.

Reads the fact `padding`: the id that fills the ends of rows, its share of all targets, and the share of it that the
loss counts (neither ignored by `ignore_index` nor masked). Filler that is ignored is normal.
"""

from __future__ import annotations

from ...record import Run
from ...record.values import number
from ...wording import num, percent
from .. import questions
from .._base import Missing, Sign, if_raised, place, ramp

ID = "padding-counted"
QUESTION = questions.LOSS_INPUTS
SHOWS = "fault"


def measure(run: Run) -> Sign | Missing:
    padding = run.fact("padding")
    share, counted = number(padding.get("share")), number(padding.get("counted"))
    if share is None or counted is None:
        return Missing(ID, "targets were not checked for padding")
    filler = num(number(padding.get("id")) or 0.0)
    level = ramp(share * counted, 0.05, 0.25)
    return Sign(
        ID,
        share * counted,
        level,
        f"{percent(share * counted)} of the targets that the loss counts are padding (id {filler} at the ends of rows)"
        f"{place(padding.get('site'))}"
        if level
        else f"padding hardly counts in the loss ({percent(share)} of the targets are padding)",
        onset=0 if level >= 0.5 else None,
        severity=if_raised(level, "critical"),
        values={"share": share, "counted": counted},
    )
