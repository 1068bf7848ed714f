"""Which conditions hold for a run, each by itself; the one that accounts for the others first."""

from __future__ import annotations

from dataclasses import replace

from ..record import Run
from ..signs import Sign, Signs, all_signs
from ._base import HOLDS, Condition, Finding, all_conditions

SURE = ("non-finite",)  # of any of the runs in a mixture


def established(run: Run, signs: Signs) -> list[Finding]:
    """The conditions of a run: bad ones before advice, grave ones first, and what leads before what follows from it."""
    found = [finding for unit in all_conditions().values() if (finding := _judge(unit, run, signs)) is not None]
    by_id = {finding.id: finding for finding in found}
    # One that could be bad and is not sure enough does not account for one that is.
    led = {
        name: leader.id
        for leader in found
        for name in all_conditions()[leader.id].leads_over
        if name in by_id and (leader.bad or not by_id[name].bad or all_conditions()[leader.id].bad_from is None)
    }
    found = [replace(finding, follows_from=led.get(finding.id)) for finding in found]
    grave = [finding.id for finding in found if finding.grave and finding.bad and finding.follows_from is None]
    found = [replace(f, beside=tuple(g for g in grave if g != f.id) if f.id in grave else ()) for f in found]
    return sorted(found, key=_order)


def dismissed(run: Run, signs: Signs) -> set[str]:
    """Raised signs that every condition which rests on them has looked at and found harmless in this run."""
    units = [unit for unit in all_conditions().values() if unit.level is not None]
    shown = {name: [unit for unit in units if name in unit.signs] for name in signs if signs[name].raised}
    return {
        name
        for name, resting in shown.items()
        if resting and all(unit.level is not None and unit.level(run, signs) == 0.0 for unit in resting)
    }


def _order(finding: Finding) -> tuple[object, ...]:
    """What accounts for others first, then what is bad, and of these what lasts before what came back.

    That more steps would help comes last: it is true of most runs that something else is said of.
    """
    unit = all_conditions()[finding.id]
    follows = finding.follows_from is not None
    return (follows, not finding.bad, not finding.grave, unit.passes, unit.said_last, -finding.level)


def _judge(unit: Condition, run: Run, signs: Signs) -> Finding | None:
    shown = [signs[name] for name in unit.signs if name in signs and signs[name].raised]
    if not shown:
        return None
    sign = max(shown, key=lambda one: one.level)
    level = float(sign.level if unit.level is None else min(sign.level, unit.level(run, signs)))
    if level < HOLDS:
        return None
    advice = unit.bad_from is None or (unit.advice is not None and unit.advice(run, signs))
    # The curve of several runs one after the other is a mixture: what it shows is named, and no verdict.
    mixed = signs.highest("several-runs") >= HOLDS
    units = all_signs()
    advise = units[sign.id].do_now if sign.id in units else None
    now = advise(sign, run) if advise is not None and not sign.values.get("told") else ""
    return Finding(
        id=unit.id,
        title=unit.title,
        level=level,
        sign=sign,
        evidence=tuple(dict.fromkeys([sign.text, *(other.text for other in shown)])),
        onset=_onset(sign, shown),
        grave=unit.grave,
        bad=not advice and unit.bad_from is not None and level >= unit.bad_from and (unit.id in SURE or not mixed),
        advice=advice,
        cause=unit.cause,
        remedies=tuple(unit.remedies(run, signs)),
        avoid=unit.avoid,
        do_now=(now,) if now else (),
        behind=unit.behind,
        signs=_accounted(unit),
    )


def _onset(sign: Sign, shown: list[Sign]) -> int | None:
    known = [one.onset for one in shown if one.onset is not None]
    return sign.onset if sign.onset is not None else min(known, default=None)


def _accounted(unit: Condition) -> tuple[str, ...]:
    """The signs that a condition accounts for: its own, those that show the same, and those of what it leads over."""
    led = [all_conditions()[name] for name in unit.leads_over]
    return tuple(dict.fromkeys(name for one in (unit, *led) for name in (*one.signs, *one.follows)))
