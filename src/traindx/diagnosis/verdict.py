"""Is something wrong? From what was seen and from the outcome; never from a low chance of `healthy` alone.

SICK needs a fault caught in the act, or an outcome that is bad by itself. A suspicion with a fine outcome is
inconclusive until an experiment has settled it. HEALTHY is earned by learning that was measured, with no open doubt.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..signs import SignUnit, all_signs
from .model import SEEN, UNKNOWN, Model
from .types import Verdict

# The chance of `healthy` must be below these for a seen fault to be reported, and for a suspicion to be raised: a false
# alarm costs as much as ten misses. A flat or rising loss may be the best that the task allows, or intended: if all
# else in an observed run speaks for `healthy`, such a run is doubtful, not sick.
ALARM = 0.3
NAMED = 0.5  # the confidence, given that something is wrong, that a leading cause needs for either
EARNED = 0.1  # the level of a sign of success from which learning stands out from noise
TOO_SHORT = 0.5


@dataclass(frozen=True)
class Assessment:
    """The answer to "is something wrong", with the signs that it rests on."""

    verdict: Verdict
    bad: tuple[str, ...] = ()  # outcomes that are bad by themselves
    doubts: tuple[str, ...] = ()  # outcomes that keep the run from being called healthy
    seen: str | None = None  # the cause that was caught in the act
    suspected: str | None = None  # the cause that is suspected although the outcome is fine
    short: bool = False  # too short for outcomes that need time


def assess(model: Model, levels: Mapping[str, float], kind: str) -> Assessment:
    """The verdict for these levels of signs. `kind`: `observed` or `log`."""
    units = all_signs()
    short = max(levels.get("too-short", 0.0), levels.get("few-updates", 0.0)) >= TOO_SHORT
    outcomes = {name: units[name] for name in levels if name in units and units[name].shows == "outcome"}
    bad = tuple(name for name, unit in outcomes.items() if _reaches(unit, unit.bad_from, levels, short))
    doubts = tuple(name for name, unit in outcomes.items() if _reaches(unit, unit.doubt_from, levels, False))
    causes = model.causes_given_wrong(levels, kind)
    leading = max(causes, key=lambda name: causes[name])
    healthy = model.healthy_chance(levels)
    named = leading != UNKNOWN and causes[leading] >= NAMED and healthy < ALARM
    if named and model.basis(leading, levels) == "seen":
        return Assessment("sick", bad, doubts, seen=leading)
    if bad and not (kind == "observed" and healthy >= ALARM and all(units[name].may_be_meant for name in bad)):
        return Assessment("sick", bad, doubts)
    if named and not short:
        return Assessment("inconclusive", bad, doubts, suspected=leading)
    earned = any(_shows_learning(units[name], level) for name, level in levels.items() if name in units)
    if doubts or short or not earned or healthy < ALARM:
        return Assessment("inconclusive", bad, doubts, short=short)
    return Assessment("healthy")


def _shows_learning(unit: SignUnit, level: float) -> bool:
    return (unit.shows == "success" and level >= EARNED) or (unit.earns and level < 0.5)


def _reaches(unit: SignUnit, limit: float | None, levels: Mapping[str, float], short: bool) -> bool:
    return limit is not None and levels[unit.id] >= limit and not (short and unit.needs_time)


__all__ = ["ALARM", "EARNED", "NAMED", "SEEN", "Assessment", "assess"]
