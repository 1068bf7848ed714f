"""Is something wrong? From what was seen and from the outcome; never from a low chance of `healthy` alone.

SICK needs a fault caught in the act, or a bad condition (`conditions/`). A suspicion with a fine outcome is
inconclusive until an experiment has settled it. HEALTHY is earned by learning that was measured, with no open doubt. A
cause that costs a run part of what it could gain (`GAINS`) is advice as long as the outcome is fine. So is a
weak suspicion if the run has learned what it set out to, unless that cause would make the outcome look better than it
is (`MISLEADS`).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from ..conditions import Finding, all_conditions
from ..signs import SignUnit, all_signs
from ..signs.questions import TIME
from .model import SEEN, UNKNOWN, Model
from .types import Verdict

# The chance of `healthy` must be below these for a seen fault to be reported, and for a suspicion to be raised: a false
# alarm costs as much as ten misses. A flat or rising loss may be the best that the task allows, or intended: if all
# else in an observed run speaks for `healthy`, such a run is doubtful, not sick.
ALARM = 0.3
NAMED = 0.5  # the confidence, given that something is wrong, that a leading cause needs for either
EARNED = 0.1  # the level of a sign of success from which learning stands out from noise
STRONG = 0.75  # the confidence from which a suspicion stands although the run has learned what it set out to
WELL = 0.9  # the level of all signs of success from which a run that could gain more has learned what it set out to
TOO_SHORT = 0.5


@dataclass(frozen=True)
class Assessment:
    """The answer to "is something wrong", with the signs that it rests on."""

    verdict: Verdict
    bad: tuple[str, ...] = ()  # outcomes that are bad by themselves
    doubts: tuple[str, ...] = ()  # outcomes and conditions that keep the run from being called healthy
    seen: str | None = None  # the cause that was caught in the act
    suspected: str | None = None  # the cause that is suspected although the outcome is fine
    advised: str | None = None  # the cause of a healthy run that could train better
    short: bool = False  # too short, or too early, for outcomes that need time


def assess(model: Model, levels: Mapping[str, float], kind: str) -> Assessment:
    """The verdict for these levels of signs. `kind`: `observed` or `log`."""
    units = all_signs()
    short = max(levels.get("too-short", 0.0), levels.get("few-updates", 0.0)) >= TOO_SHORT
    early = short or levels.get("too-early", 0.0) >= TOO_SHORT
    known = [units[name] for name in levels if name in units]
    bad = tuple(unit.id for unit in known if _reaches(unit, unit.bad_from, levels, early))
    doubts = tuple(unit.id for unit in known if _reaches(unit, unit.doubt_from, levels, False))
    causes = model.causes_given_wrong(levels)
    leading = max(causes, key=lambda name: causes[name])
    healthy = model.healthy_chance(levels)
    named = leading != UNKNOWN and causes[leading] >= NAMED and healthy < ALARM
    if named and model.basis(leading, levels) == "seen":
        return Assessment("sick", bad, doubts, seen=leading)
    if bad and not (kind == "observed" and healthy >= ALARM and all(units[name].may_be_meant for name in bad)):
        return Assessment("sick", bad, doubts)
    gains = leading != UNKNOWN and (model.causes[leading].gains or _outweighed(model, causes, leading, doubts, levels))
    if named and not early and not gains:
        return Assessment("inconclusive", bad, doubts, suspected=leading)
    earned = any(_shows_learning(units[name], level) for name, level in levels.items() if name in units)
    if doubts or short or not earned:
        return Assessment("inconclusive", bad, doubts, short=early)
    if gains and healthy < ALARM and (named or _learned_well(levels)):
        return Assessment("healthy", advised=leading)
    if healthy < ALARM:
        return Assessment("inconclusive", bad, doubts, short=early)
    return Assessment("healthy")


def in_time(found: Assessment, conditions: Sequence[Finding]) -> list[Finding]:
    """The conditions that can be judged by now: a loss lost or thrown out in the first steps, and where time goes."""
    units = all_signs()
    # A loss that is the same number on different batches is broken however few there are.
    soon = {c.id for c in conditions if c.sign.values.get("constant")}
    soon |= {c.id for c in conditions if units[c.sign.id].question == TIME}
    early = [c for c in conditions if (c.advice or units[c.sign.id].needs_time) and c.id not in soon]
    return [c for c in conditions if not (found.short and c in early)]


def with_conditions(
    found: Assessment, conditions: Sequence[Finding], kind: str, healthy: float, harmless: Collection[str] = ()
) -> Assessment:
    """A bad condition in a log is the verdict; a condition that is not sure yet keeps a run from being called healthy.

    `harmless`: signs that the conditions which rest on them have dismissed; in a log they are no doubt either.

    Of an observed run more is known than its curves: a condition is weighed against the chance that the run is
    `healthy`, and comes before what is only suspected.
    """
    if found.seen is not None:
        return found
    conditions = [c for c in conditions if c.follows_from is None]
    if kind == "observed":
        if found.verdict == "healthy" or not any(not c.advice for c in conditions):
            return found
        bad = any(c.bad for c in conditions) and healthy < ALARM and not found.short
        return replace(found, verdict="sick" if bad else found.verdict, suspected=None)
    if any(c.bad for c in conditions):
        return replace(found, verdict="sick", suspected=None)
    if found.suspected in {unit.cause for unit in all_conditions().values()}:  # it is measured, or it is not there
        found = replace(found, suspected=None, verdict="inconclusive" if found.doubts or found.short else "healthy")
    well = {*harmless, *(name for c in conditions if c.advice for name in c.signs)}
    doubts = tuple(name for name in found.doubts if name not in well)
    if found.doubts and not doubts and not (found.short or found.suspected or found.bad):
        found = replace(found, doubts=doubts, verdict="healthy")
    unsure = any(not c.advice for c in conditions)
    if unsure:  # what was measured is named before what is only suspected
        return replace(found, verdict="inconclusive", suspected=None, advised=None)
    if conditions and not (unsure or doubts or found.short or found.suspected or found.bad):
        return replace(found, verdict="healthy")  # all that holds is advice
    return found


def advised_condition(found: Assessment, conditions: Sequence[Finding]) -> Finding | None:
    """What the answer on a healthy run begins with. That more steps would help is true of most: it is said last."""
    first = next(iter(conditions), None)
    if first is None or found.verdict != "healthy" or first.follows_from is not None:
        return None
    return None if all_conditions()[first.id].said_last else first


def leading_condition(found: Assessment, conditions: Sequence[Finding]) -> Finding | None:
    """The condition that the answer names: a bad one where the run is sick; of a healthy run none is bad."""
    if found.verdict == "healthy":
        return None
    named = [c for c in conditions if not c.advice]
    bad = [c for c in named if c.sign.id in found.bad or c.bad]
    return next(iter([*bad, *named, *conditions]), None)


def _outweighed(
    model: Model, causes: Mapping[str, float], leading: str, doubts: tuple[str, ...], levels: Mapping[str, float]
) -> bool:
    """Whether what the run has learned, also on data that it was not trained on, speaks louder than the suspicion."""
    weak = causes[leading] < STRONG and not model.causes[leading].misleads
    return weak and not doubts and _learned_well(levels) and "validation-learned" in levels


def _learned_well(levels: Mapping[str, float]) -> bool:
    """Whether everything that was measured of what a run is for says that it was reached."""
    units = all_signs()
    found = [level for name, level in levels.items() if name in units and units[name].shows == "success"]
    return bool(found) and min(found) >= WELL


def _shows_learning(unit: SignUnit, level: float) -> bool:
    return (unit.shows == "success" and level >= EARNED) or (unit.earns and level < 0.5)


def _reaches(unit: SignUnit, limit: float | None, levels: Mapping[str, float], short: bool) -> bool:
    return limit is not None and levels[unit.id] >= limit and not (short and unit.needs_time)


__all__ = [
    "ALARM",
    "EARNED",
    "NAMED",
    "SEEN",
    "Assessment",
    "advised_condition",
    "assess",
    "in_time",
    "leading_condition",
    "with_conditions",
]
