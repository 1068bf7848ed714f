"""What a claim to have seen a fault rests on: looked up each time, before the claim is made.

A sign that shows a fault names either a `proof` (the value itself, a hash, the identity of a tensor) or
at least two `witnesses`, and the `refuters` that would contradict it. With a contradiction the fault is not claimed;
with fewer than two witnesses it is a suspicion.
"""

from __future__ import annotations

from dataclasses import replace
from functools import wraps

from ..record import Run
from ._base import Missing, Sign, SignUnit

NEEDED = 2  # witnesses, where there is no proof
# The level that a sign with one witness has at most: raised, and below the one from which a fault counts as seen.
ONE_WITNESS = 0.65


def looked_up(unit: SignUnit) -> SignUnit:
    """The same unit; where it shows a fault, its witnesses and refuters are asked before it claims one."""
    if unit.shows != "fault":
        return unit

    @wraps(unit.measure)
    def measure(run: Run) -> Sign | Missing:
        found = unit.measure(run)
        return found if isinstance(found, Missing) or not found.raised else _weighed(unit, run, found)

    return replace(unit, measure=measure)


def _weighed(unit: SignUnit, run: Run, sign: Sign) -> Sign:
    for fact in unit.refuters:
        contradiction = fact.holds(run, sign) if fact.holds else None
        if contradiction:
            text = f"{sign.text.rstrip('.')}. Not a fault: {contradiction}"
            values = {**sign.values, "refuted_by": contradiction}
            return replace(sign, level=0.0, severity="info", onset=None, text=text, values=values)
    if unit.proof or sign.level <= ONE_WITNESS:
        return sign
    silent = [fact.says for fact in unit.witnesses if fact.holds and not fact.holds(run, sign)]
    if len(unit.witnesses) - len(silent) >= NEEDED:
        return sign
    values = {**sign.values, "unconfirmed": silent}
    return replace(sign, level=ONE_WITNESS, severity="warning", values=values)


def said_by(unit: SignUnit, run: Run) -> str | None:
    """What another sign says where it is raised: it explains a claim, or bears it out."""
    found = looked_up(unit).measure(run)
    return found.text if isinstance(found, Sign) and found.raised else None
