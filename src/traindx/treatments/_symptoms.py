"""The signs that a hypothesis rests on, compared between the control and a treated run."""

from __future__ import annotations

from collections.abc import Sequence

from ..causes import all_causes
from ..diagnosis import Hypothesis, SymptomChange
from ..signs import Signs, all_signs

# Signs that an arm may show only because it ends early, at its step limit.
OF_LENGTH = (
    "too-short",
    "too-early",
    "few-updates",
    "still-improving",
    "validation-still-improving",
    "much-to-gain",
    "loss-falling-slowly",
)
MOVES = ("fault", "outcome", "dynamics")  # kinds of signs that a change can remove; settings and data do not change


def symptoms(hypothesis: Hypothesis, control: Signs) -> list[str]:
    """The ids of the raised signs that must disappear if the hypothesis is right and its fix is applied."""
    units = all_signs()
    required = set(all_causes()[hypothesis.cause].requires)
    moved = {part.sign for part in hypothesis.contributions if part.amount > 0.2}
    outcomes = {name for name, unit in units.items() if unit.shows == "outcome" and unit.bad_from is not None}
    return [
        sign.id for sign in control.raised()
        if sign.id in required | moved | outcomes and units[sign.id].shows in MOVES
    ]  # fmt: skip


def conditions(hypothesis: Hypothesis, control: Signs) -> list[str]:
    """The raised signs that are a condition of the cause (for example, layers without an activation between them)."""
    units = all_signs()
    required = set(all_causes()[hypothesis.cause].requires)
    return [sign.id for sign in control.raised() if sign.id in required and units[sign.id].shows == "condition"]


def compared(names: Sequence[str], control: Signs, treated: Signs, reached: bool = True) -> list[SymptomChange]:
    """The change of each sign. A sign that is missing in the treated run counts as gone, because there is nothing left
    to measure (without clipping, nothing is clipped). It counts as still raised if the run ended too early to show it
    (`reached` is False), or if measuring it failed."""
    found = []
    for name in names:
        if name in control:
            unknown = name not in treated and (not reached or name in treated.errors)
            found.append(SymptomChange(name, control[name].level, (control if unknown else treated).level(name)))
    return found


def gone(changes: Sequence[SymptomChange], much_better: bool = False) -> bool:
    """Whether all faults and bad outcomes are gone. If there were none, whether most signs of dynamics are gone.

    Signs of dynamics do not count beside a fault or a bad outcome, nor if the outcome is `much_better`: some of them (a
    first loss at chance level, a training loss above the validation loss) also occur in healthy runs.
    """
    units = all_signs()
    hard = [change for change in changes if units[change.sign].shows in ("fault", "outcome")]
    if hard:
        return all(change.gone for change in hard)
    return not changes or much_better or sum(change.gone for change in changes) * 2 > len(changes)
