"""Checks that signs of the first steps answer. Each sign names the check that it answers (`CHECK`)."""

from __future__ import annotations

from ...signs import Signs, SignUnit, all_signs
from ...signs.checks import Check
from ...signs.questions import rank
from .types import Answer


def answers_of_signs(signs: Signs) -> list[Answer]:
    """One answer for every check that some sign belongs to."""
    by_check: dict[Check, list[SignUnit]] = {}
    for unit in all_signs().values():
        if unit.check is not None:
            by_check.setdefault(unit.check, []).append(unit)
    return [_answer(check, units, signs) for check, units in by_check.items()]


def _answer(check: Check, units: list[SignUnit], signs: Signs) -> Answer:
    """Raised and critical: failed. Raised: doubtful. None of the signs measured: unasked."""
    units = sorted(units, key=lambda unit: not unit.core)  # if nothing was measured, a core sign's reason is given
    measured = [signs[unit.id] for unit in units if unit.id in signs]
    raised = sorted(
        (sign for sign in measured if sign.raised and sign.severity != "info"),
        key=lambda sign: (sign.severity != "critical", -sign.level),
    )
    if raised:
        status = "failed" if raised[0].severity == "critical" else "doubtful"
        return Answer(
            check.id,
            check.group,
            status,  # type: ignore[arg-type]
            " ".join(sign.text for sign in raised[:2]),
            {"signs": [sign.id for sign in raised]},
        )
    if not measured:
        reasons = [signs.missing[unit.id].reason for unit in units if unit.id in signs.missing]
        return Answer(check.id, check.group, "unasked", reasons[0] if reasons else "not measured")
    # The first question tells most: that losses are finite, rather than how the last one compares with the lowest.
    known = [unit for unit in units if unit.id in signs]
    telling = min(known, key=lambda unit: (not unit.core, rank(unit.question)))
    return Answer(check.id, check.group, "passed", signs[telling.id].text)
