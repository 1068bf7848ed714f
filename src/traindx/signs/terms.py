"""The terms of a loss that is a sum, as curves (`loss_terms` of the record)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..record import Run
from ..record.site import Site
from ..record.values import number, text
from ..wording import num4
from .curve import Curve, curve_of, once_per_run

SEEN_UNTIL = 0.8  # of the run: looks at terms that end earlier say nothing of its end
FEWEST = 8  # looks


@dataclass(frozen=True, eq=False)
class Term:
    """One term. `curve` is what it adds to the loss, `of_mean` its value over that of answering with the mean."""

    facts: Mapping[str, Any]
    curve: Curve
    of_mean: Curve
    finite_until: int | None  # the step of the first look at which it was not finite

    @cached_property
    def site(self) -> Site | None:
        return Site.of(self.facts.get("site"))

    @cached_property
    def label(self) -> str:
        """As in "kld (train.py:34)": the variable that holds it, else the function that makes it, and the line."""
        name = text(self.facts.get("name")) or text(self.facts.get("fn"))
        shown = f"`{name}`" if name else "a term"
        return f"{shown} ({self.site})" if self.site else shown

    @property
    def weight(self) -> float | None:
        return number(self.facts.get("weight"))

    @property
    def is_divergence(self) -> bool:
        return self.facts.get("divergence") is True

    @property
    def is_penalty(self) -> bool:
        return self.facts.get("penalty") is True

    def since(self, step: float) -> Curve:
        return self.curve.between(step, float("inf"))


@once_per_run
def loss_terms(run: Run) -> list[Term]:
    """The terms of the first line that calls backward on a sum of several; empty where there is none."""
    found = []
    for place, facts in enumerate(run.entries("loss_terms")):
        series = run.series(f"loss/term/{place}")
        bad = series.steps[~np.isfinite(series.values)]
        of_mean = curve_of(run.series(f"loss/term/{place}/of_mean"))
        found.append(Term(facts, curve_of(series), of_mean, int(bad[0]) if len(bad) else None))
    first = min((number(term.facts.get("backward")) or 0 for term in found), default=0)
    return [term for term in found if (number(term.facts.get("backward")) or 0) == first]


def why_missing(run: Run) -> str | None:
    """Why nothing can be said of how the terms went, if that is so."""
    terms = loss_terms(run)
    if len(terms) < 2:
        return "the loss is no sum of several terms, or they were not seen"
    if min(len(term.curve) for term in terms) < FEWEST:
        return f"the terms of the loss were looked at fewer than {FEWEST} times"
    if min(term.curve.final_step for term in terms) < SEEN_UNTIL * (run.steps - 1):
        return "the terms of the loss were not looked at near the end of the run"
    return None


def terms_line(run: Run) -> str:
    """What the loss is made of at the last look, in one line; nothing where it is no sum."""
    terms = [term for term in loss_terms(run) if len(term.curve)]
    if len(terms) < 2:
        return ""
    parts = [f"{term.label} {num4(term.curve.values[0])} → {num4(term.curve.final)}" for term in terms]
    last = max(term.curve.final_step for term in terms)
    return f"{'; '.join(parts)} (first look → step {last})"
