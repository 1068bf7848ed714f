"""Whether the output is the same whatever the input is: nothing of the input reaches it."""

from __future__ import annotations

from ...record import Run
from ...record.values import mapping, text, truth
from .. import questions
from .._base import Missing, Sign, if_raised

ID = "output-ignores-input"
QUESTION = questions.EXPERIMENTS
SHOWS = "fault"


def measure(run: Run) -> Sign | Missing:
    found = run.fact("dependence")
    depends = truth(found.get("depends_on_input"))
    if depends is None:
        why = mapping(found.get("why_not"))
        reason = text(why.get("input")) or text(why.get("all"))
        return Missing(ID, reason or "whether the output depends on the input was not tested")
    level = 0.0 if depends else 1.0
    words = "the output depends on the input" if depends else "the output is the same for any input at the first step"
    return Sign(ID, level, level, words, onset=None if depends else 0, severity=if_raised(level, "critical"))
