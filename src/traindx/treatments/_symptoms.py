"""The signs that a hypothesis rests on, compared between the control and a treated run."""

from __future__ import annotations

from collections.abc import Sequence

from ..causes import all_causes
from ..diagnosis import Hypothesis, SymptomChange
from ..signs import Signs, all_signs

# Signs that a run shows only because it is short: a trial ends at its step limit.
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


def conditions(hypothesis: Hypothesis, control: Signs) -> list[str]:
    """The raised signs that are the cause's own condition (layers without an activation between them)."""
    units = all_signs()
    required = set(all_causes()[hypothesis.cause].requires)
    return [sign.id for sign in control.raised() if sign.id in required and units[sign.id].shows == "condition"]


def compared(names: Sequence[str], control: Signs, treated: Signs, reached: bool = True) -> list[SymptomChange]:
    """A sign that is missing in the treated run counts as gone: what it measures is no longer there (without clipping,
    nothing is clipped). It counts as still raised if the run ended too early to show it (`reached` is False), or if
    measuring it failed."""
    found = []
    for name in names:
        if name in control:
            unknown = name not in treated and (not reached or name in treated.errors)
            found.append(SymptomChange(name, control[name].level, (control if unknown else treated).level(name)))
    return found


def gone(changes: Sequence[SymptomChange], much_better: bool = False) -> bool:
    """No fault and no bad outcome is left; where none was raised, most of the dynamics are not raised any more.

    Dynamics decide nothing beside a bad outcome, or against an outcome that is `much_better`: some of them (a first
    loss at chance, a training loss above that of validation) belong to healthy runs.
    """
    units = all_signs()
    hard = [change for change in changes if units[change.sign].shows in ("fault", "outcome")]
    if hard:
        return all(change.gone for change in hard)
    return not changes or much_better or sum(change.gone for change in changes) * 2 > len(changes)
