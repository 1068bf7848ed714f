"""How many runs or folds the log holds, as its reader counted them. The other signs look at one of them."""

from __future__ import annotations

from ...record import Run
from ...record.values import index
from .. import questions
from .._base import Missing, Sign

ID = "several-runs"
QUESTION = questions.TRAINED
SHOWS = "scope"


def measure(run: Run) -> Sign | Missing:
    if not run.series("loss/train") and not run.series("loss/validation"):
        return Missing(ID, "no loss was recorded")
    count = index(run.fact("log").get("runs")) or 1
    if count == 1:
        return Sign(ID, 1.0, 0.0, "The record holds one run.", values={"runs": 1})
    return Sign(
        ID, float(count), 1.0, f"The log holds {count} runs one after the other.", None, "info", {"runs": count}
    )
