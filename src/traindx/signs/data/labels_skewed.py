"""The share of the most common class among the training targets.

Seven in ten is an imbalance that training copes with; from nineteen in twenty on, always answering with it looks good.
With a single class seen there is nothing to compare.
"""

from __future__ import annotations

from ...record import Run
from ...wording import percent
from .. import checks, questions
from .._base import Missing, Sign, if_raised, ramp
from .._labels import label_counts, majority

ID = "labels-skewed"
QUESTION = questions.DATA
SHOWS = "condition"
CHECK = checks.CLASS_BALANCE


def measure(run: Run) -> Sign | Missing:
    counts = label_counts(run)
    found = majority(counts) if counts is not None else None
    if counts is None or found is None or len(counts) < 2:
        return Missing(ID, "no class labels of at least two classes were seen")
    name, share = found
    level = ramp(share, 0.7, 0.95)
    return Sign(
        ID,
        share,
        level,
        f"{percent(share)} of the training targets are class {name} ({len(counts)} classes)",
        severity=if_raised(level, "warning"),
        values={"class": name, "share": share, "classes": len(counts)},
    )
