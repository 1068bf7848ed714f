"""Runs that are out of scope (not training dynamics): recognised, with a sentence on where to look."""

from __future__ import annotations

from ..record import Run
from ..signs import Signs


def out_of_scope(run: Run, signs: Signs, clear_fault: bool) -> str | None:
    """One sentence if this run is out of scope; else None."""
    never = signs.get("never-trained")
    crash = signs.get("crash-infrastructure")
    # A crash does not hide what was seen before it: a clear fault is still the diagnosis.
    if crash is not None and crash.raised and not clear_fault:
        return crash.text
    learning = signs.get("reinforcement-learning")
    if learning is not None and learning.raised:
        return learning.text
    if never is not None and never.raised and not clear_fault:
        return never.text
    if run.kind not in ("observed", "interview") and not run.series("loss/train") and not run.series("loss/validation"):
        return "This log holds no loss, so there is nothing to judge: log the training loss, or use traindx run."
    return None
