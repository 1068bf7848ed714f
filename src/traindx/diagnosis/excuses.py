"""Counts signs less where another sign excuses them: "the scale of the inputs is odd" where a norm layer undoes it.

Signs measure, whatever may explain what they find. An excuse is a sign of its own, which names the signs that mean less
where it holds, and how much they count for at most then (`excuses` of the sign). Everything that judges a run (the
ranking of causes, the verdict, the checks, treatments) reads the levels from here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache

from ..record import Run
from ..signs import Severity, Sign, Signs, all_signs, measure_all

CLEAR = 0.7  # the level from which a sign still warns in spite of an excuse


def judged_signs(run: Run) -> Signs:
    """All signs of a run, at the levels that they count for."""
    return judged(measure_all(run))


def judged(signs: Signs) -> Signs:
    """These signs at the levels that they count for. What a person states about a sign has no excuse."""
    levels = judged_levels({name: sign.level for name, sign in signs.items()})
    return signs.replaced(
        {
            name: _excused(sign, levels[name], signs)
            for name, sign in signs.items()
            if levels[name] < sign.level and not sign.values.get("stated")
        }
    )


def judged_levels(levels: Mapping[str, float]) -> dict[str, float]:
    """The same of levels alone, as a corpus holds them."""
    found: dict[str, float] = {}

    def counted(name: str) -> float:
        if name not in found:
            level = levels[name]
            for excuse, most in excused_by().get(name, {}).items():
                holds = counted(excuse) if excuse in levels else 0.0
                level -= holds * max(0.0, level - most)
            found[name] = level
        return found[name]

    return {name: counted(name) for name in levels}


@cache
def excused_by() -> dict[str, dict[str, float]]:
    """For each sign the signs that excuse it, each with the level that it counts for at most then."""
    found: dict[str, dict[str, float]] = {}
    for unit in all_signs().values():
        for name, most in unit.excuses.items():
            found.setdefault(name, {})[unit.id] = most
    return found


def _excused(sign: Sign, level: float, signs: Signs) -> Sign:
    """The sign at the level that it counts for. What excuses a sign that was raised is said in its text."""
    severity: Severity = "warning" if level >= CLEAR and sign.severity != "info" else "info"
    excuses = [signs[name] for name in excused_by()[sign.id] if name in signs and signs[name].raised]
    if not sign.raised or not excuses:
        return replace(sign, level=level, severity=severity)
    text = " ".join([sign.text, *(excuse.text for excuse in excuses)])
    values = {**sign.values, "excused_by": [excuse.id for excuse in excuses]}
    return replace(sign, level=level, severity=severity, text=text, values=values)
