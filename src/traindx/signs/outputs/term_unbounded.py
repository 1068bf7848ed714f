"""Which term takes a loss below zero without bound: the one that falls by as much as the total does."""

from __future__ import annotations

from ...record import Run
from ...wording import num4, percent
from .. import questions
from .._base import Missing, Sign, if_raised, ramp
from ..curves.loss_negative_unbounded import measure as total_unbounded
from ..terms import loss_terms, why_missing

ID = "term-unbounded"
QUESTION = questions.LOSS_INPUTS
SHOWS = "dynamics"


def measure(run: Run) -> Sign | Missing:
    reason, total = why_missing(run), total_unbounded(run)
    if reason or isinstance(total, Missing):
        return Missing(ID, reason or "fewer than nine training losses were recorded")
    terms = loss_terms(run)
    falls = {term: term.curve.first - term.curve.last for term in terms}
    term = max(falls, key=lambda found: falls[found])
    whole = sum(fall for fall in falls.values() if fall > 0)
    share = falls[term] / whole if whole > 0 else 0.0
    level = total.level * ramp(share, 0.5, 0.9) if term.curve.last < 0 else 0.0
    text = f"{term.label} ends at {num4(term.curve.last)}; it accounts for {percent(share)} of the fall of the loss."
    return Sign(ID, share, level, text, total.onset if level >= 0.5 else None, if_raised(level, "warning"))
