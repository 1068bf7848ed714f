"""The signs that a hypothesis rests on, compared between the control and a treated run."""

from __future__ import annotations

from collections.abc import Sequence

from ..causes import all_causes
from ..diagnosis import Hypothesis, SymptomChange
from ..signs import Signs, all_signs

# What a short run shows because it is short: a trial ends where it was told to.
OF_LENGTH = (
    "too-short",
    "too-early",
    "few-updates",
    "still-improving",
    "validation-still-improving",
    "much-to-gain",
    "loss-falling-slowly",
)
MOVES = ("fault", "outcome", "dynamics")  # what signs must show to be symptoms: settings and data stay as they are


def symptoms(hypothesis: Hypothesis, control: Signs) -> list[str]:
    """The raised signs, by id, that must go if the hypothesis is right and its fix is made."""
    units = all_signs()
    required = set(all_causes()[hypothesis.cause].requires)
    moved = {part.sign for part in hypothesis.contributions if part.amount > 0.2}
    outcomes = {name for name, unit in units.items() if unit.shows == "outcome" and unit.bad_from is not None}
    return [
        sign.id for sign in control.raised()
        if sign.id in required | moved | outcomes and units[sign.id].shows in MOVES
    ]  # fmt: skip


def compared(names: Sequence[str], control: Signs, treated: Signs, reached: bool = True) -> list[SymptomChange]:
    """A sign that the treated run lacks has lost its object (a clip that is gone does not cut). But it counts as it was
    where the run ended too early to show it (`reached` is False), or where measuring it failed."""
    found = []
    for name in names:
        if name in control:
            unknown = name not in treated and (not reached or name in treated.errors)
            found.append(SymptomChange(name, control[name].level, (control if unknown else treated).level(name)))
    return found


def gone(changes: Sequence[SymptomChange]) -> bool:
    """No fault and no bad outcome is left, and most of what else was raised is not any more."""
    units = all_signs()
    if not changes:
        return True
    hard = [change for change in changes if units[change.sign].shows in ("fault", "outcome")]
    soft = [change for change in changes if units[change.sign].shows == "dynamics"]
    if not all(change.gone for change in hard):
        return False
    if not hard or not soft:
        return sum(change.gone for change in changes) * 2 > len(changes)
    return sum(change.gone for change in soft) * 2 >= len(soft)
