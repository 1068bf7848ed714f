"""Whether a log holds a column that may be a validation loss and was not read as one.

What was left unread cannot be judged, so a log that has such a column is never called healthy.
"""

from __future__ import annotations

from ...record import Run
from ...record.values import texts
from .. import questions
from .._base import Missing, Sign

ID = "validation-unread"
QUESTION = questions.VALIDATION
SHOWS = "outcome"
DOUBT_FROM = 0.5


def measure(run: Run) -> Sign | Missing:
    if run.kind == "observed":
        return Missing(ID, "the run was observed, not read from a log")
    if not run.series("loss/train") and not run.series("loss/validation"):
        return Missing(ID, "the log holds no loss")
    if run.series("loss/validation"):
        return Sign(ID, 0.0, 0.0, "A validation loss was read from the log.")
    unread = texts(run.fact("log").get("unread_validation"))
    if not unread:
        return Sign(ID, 0.0, 0.0, "The log holds no column that looks like a validation loss.")
    text = f"Column `{unread[0]}` may be a validation loss and was not read: --map val_loss='{unread[0]}' reads it."
    return Sign(ID, float(len(unread)), 1.0, text, values={"columns": unread})
