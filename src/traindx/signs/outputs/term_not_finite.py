"""Which term of the loss is not finite while the others are: it names the line, where the total only says NaN."""

from __future__ import annotations

from ...record import Run
from .. import questions
from .._base import Missing, Sign, if_raised
from ..curve import moment
from ..terms import Term, loss_terms

ID = "term-not-finite"
QUESTION = questions.FINITE
SHOWS = "condition"


def measure(run: Run) -> Sign | Missing:
    terms = loss_terms(run)
    if len(terms) < 2:
        return Missing(ID, "the loss is not a sum of several terms, or they were not seen")
    broken = [term for term in terms if term.finite_until is not None and _alone(term, terms)]
    if not broken:
        return Sign(ID, 0.0, 0.0, f"no term of the loss ({len(terms)} terms) stops being finite before the others")
    first = min(broken, key=lambda term: term.finite_until or 0)
    step = first.finite_until or 0
    text = f"{first.label} is not finite at {moment(run, step)}, where the other terms of the loss are."
    return Sign(ID, float(step), 1.0, text, step, if_raised(1.0, "critical"), {"label": first.label})


def _alone(term: Term, terms: list[Term]) -> bool:
    """Whether some other term was finite at the same look: once weights are NaN, every term is."""
    step = term.finite_until
    return any(step in other.curve.steps.tolist() for other in terms if other is not term)
