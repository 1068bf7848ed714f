"""The terms of a loss that is a sum, as curves (`loss_terms` of the record)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..record import Run
from ..record.graph import LossTerm
from ..wording import num4
from .curve import Curve, curve_of, once, training_loss

SEEN_UNTIL = 0.8  # of the run: looks at terms that end earlier say nothing of its end
FEWEST = 8  # looks
STANDS = 0.03  # of its level: a loss that moves by less since the last look has kept its large terms


@dataclass(frozen=True, eq=False)
class Term:
    """One term. `curve` is what it adds to the loss, `of_mean` its value over that of answering with the mean."""

    about: LossTerm
    curve: Curve
    of_mean: Curve
    finite_until: int | None  # the step of the first look at which it was not finite

    @cached_property
    def label(self) -> str:
        """As in "kld (train.py:34)": the variable that holds it, else the function that makes it, and the line."""
        name = self.about.name or self.about.fn
        shown = f"`{name}`" if name else "a term"
        return f"{shown} ({self.about.site})" if self.about.site else shown

    def since(self, step: float) -> Curve:
        return self.curve.between(step, float("inf"))


@once
def loss_terms(run: Run) -> list[Term]:
    """The terms of the first line that calls backward on a sum of several; empty where there is none."""
    found = []
    for place, term in enumerate(run.loss_terms):
        series = run.series(f"loss/term/{place}")
        bad = series.steps[~np.isfinite(series.values)]
        of_mean = curve_of(run.series(f"loss/term/{place}/of_mean"))
        found.append(Term(term, curve_of(series), of_mean, int(bad[0]) if len(bad) else None))
    first = min((each.about.backward for each in found), default=0)
    return [each for each in found if each.about.backward == first]


def why_missing(run: Run, *, of_largest: bool = False) -> str | None:
    """Why nothing can be said of how the terms went, if that is so.

    `of_largest`: only the terms that make up most of the loss are judged, which stay where they are if the loss does.
    """
    terms = loss_terms(run)
    if len(terms) < 2:
        return "the loss is no sum of several terms, or they were not seen"
    if min(len(term.curve) for term in terms) < FEWEST:
        return f"the terms of the loss were looked at fewer than {FEWEST} times"
    seen_until = min(term.curve.final_step for term in terms)
    if seen_until < SEEN_UNTIL * (run.steps - 1) and not (of_largest and _stands_since(run, seen_until)):
        return "the terms of the loss were not looked at near the end of the run"
    return None


def _stands_since(run: Run, step: int) -> bool:
    """Whether the loss ends where it was at that step, as the median of the twenty losses around it and of the last."""
    loss = training_loss(run)
    at = int(np.searchsorted(loss.steps, step))
    if at < FEWEST or len(loss) - at < FEWEST:
        return False
    then = float(np.median(loss.values[max(0, at - 10) : at + 10]))
    return abs(loss.last - then) <= STANDS * abs(then)


def terms_line(run: Run) -> str:
    """What the loss is made of at the last look, in one line; nothing where it is no sum."""
    terms = [term for term in loss_terms(run) if len(term.curve)]
    if len(terms) < 2:
        return ""
    parts = [f"{term.label} {num4(term.curve.values[0])} → {num4(term.curve.final)}" for term in terms]
    last = max(term.curve.final_step for term in terms)
    return f"{'; '.join(parts)} (first look → step {last})"
