"""What an engineer asks of a run, answered by the signs that name the question.

Every sentence is a measured sign's own text: nothing is said that was not measured.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..record import Run
from ..signs import Sign, Signs, SignUnit, all_signs
from ..signs.questions import TOPICS, rank
from .types import Question

# A raised setting is a choice and a raised success is good news: neither is a finding.
FINDINGS = ("fault", "condition", "outcome", "dynamics", "scope")


def questions(signs: Signs) -> list[Question]:
    """The questions that this run can answer, each with its strongest finding, or with what was found normal."""
    found = []
    for asked, units in _asked():
        raised = [signs[u.id] for u in units if u.id in signs and u.shows in FINDINGS and signs[u.id].raised]
        normal = _normal(units, signs)
        if raised:
            found.append(Question(asked, max(raised, key=_weight).text, True))
        elif normal:
            found.append(Question(asked, " ".join(sign.text for sign in normal), False))
    return found


def checked(signs: Signs) -> list[str]:
    """What was measured and found normal: the texts of the signs that can answer for their question alone."""
    return [
        sign.text
        for _, units in _asked()
        if not any(u.id in signs and u.shows in FINDINGS and signs[u.id].raised for u in units)
        for sign in _normal(units, signs)
    ]


def not_measured(signs: Signs, run: Run) -> list[str]:
    """What the verdict cannot know, and why: questions that no sign of this run could answer."""
    blind = {}
    for asked, units in _asked():
        core = [unit for unit in units if unit.core]
        if core and not any(unit.id in signs for unit in units if unit.shows in FINDINGS):
            blind[asked] = signs.missing[core[0].id].reason
    if run.kind == "interview" and blind:
        topics = ", ".join(TOPICS.get(asked, asked) for asked in blind)
        return [f"Nothing was measured: this rests on your answers alone. Not known: {topics}."]
    if run.kind != "observed" and blind:
        return [f"This log does not show {', '.join(TOPICS.get(asked, asked) for asked in blind)}."]
    return [f"{asked} ({reason})" for asked, reason in blind.items()]


def _asked() -> Iterator[tuple[str, list[SignUnit]]]:
    """Every question with the units that answer it, in the order of asking."""
    units = list(all_signs().values())
    for asked in sorted({unit.question for unit in units}, key=lambda question: (rank(question), question)):
        yield asked, [unit for unit in units if unit.question == asked]


def _normal(units: list[SignUnit], signs: Signs) -> list[Sign]:
    return [signs[u.id] for u in units if u.core and u.id in signs and (u.shows == "success") == signs[u.id].raised]


def _weight(sign: Sign) -> tuple[int, float]:
    return {"critical": 2, "warning": 1, "info": 0}[sign.severity], sign.level
