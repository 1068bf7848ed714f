"""Checks that signs of the first steps answer. Which sign answers which check stands on the sign (`CHECK`)."""

from __future__ import annotations

from ...signs import Signs, SignUnit, all_signs
from ...signs.checks import Check
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
    units = sorted(units, key=lambda unit: not unit.core)
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
    core = [sign for unit, sign in ((unit, signs.get(unit.id)) for unit in units) if unit.core and sign is not None]
    clearest = min(core or measured, key=lambda sign: sign.level)  # "25 times its minimum" is no reason to pass
    return Answer(check.id, check.group, "passed", clearest.text)
