"""The lab report: every reading beside its reference range, most unusual first, then the wiring."""

from __future__ import annotations

from collections.abc import Sequence

from ..record import Run
from ..signs import Signs
from ..wording import num, percent
from .reference import Range, Reference, all_quantities, readings, shipped
from .types import Fact, Flag, Quantity, Reading
from .wiring import wiring_facts

CRITICAL = ("HH", "LL")
RANK: dict[Flag | None, int] = {"HH": 0, "LL": 0, "H": 1, "L": 1, "": 2, None: 3}
COUNTS = ("layers", "units", "steps", "samples", "updates", "rows", "spikes")
LARGE = 10.0  # shares from here on are said as factors


def facts_of(run: Run, signs: Signs, reference: Reference | None = None) -> list[Fact]:
    """All facts of a run: measured quantities, most unusual first, then the wiring in the order of a training."""
    return [*measured(run, signs, reference), *wiring_facts(run)]


def measured(run: Run, signs: Signs, reference: Reference | None = None) -> list[Fact]:
    """The quantities that could be measured, most unusual first; those without a reference come last."""
    table = shipped() if reference is None else reference
    found = [
        fact_of(quantity, reading, table.range_of(quantity, reading)) for quantity, reading in readings(run, signs)
    ]
    return in_order(found)


def in_order(facts: Sequence[Fact]) -> list[Fact]:
    """The most unusual first."""
    return sorted(facts, key=lambda fact: (RANK[fact.flag], -fact.surprise))


def unusual_of(facts: Sequence[Fact], n: int = 3) -> list[Fact]:
    """`n` flagged facts of a report in its order: each about another thing, at most two that answer one question.

    How the run went is one of them at most, and none where three others are critical: it follows from the rest, and the
    answer names it anyway.
    """
    units = all_quantities()
    flagged = [fact for fact in facts if fact.flag and fact.id in units]
    upstream = [fact for fact in flagged if not units[fact.id].outcome]
    outcomes = [fact for fact in flagged if units[fact.id].outcome]
    critical = [fact for fact in upstream if fact.flag in CRITICAL]
    ordered = [*critical, *outcomes[:1], *(fact for fact in upstream if fact not in critical), *outcomes[1:]]
    chosen: list[Fact] = []
    for fact in ordered:
        about = about_signs(units[fact.id])
        alike = [other for other in chosen if other.question == fact.question]
        if len(alike) < 2 and not any(about & about_signs(units[other.id]) for other in chosen):
            chosen.append(fact)
    return chosen[:n]


def about_signs(quantity: Quantity) -> set[str]:
    """What a quantity is about, by the signs that judge it."""
    return {quantity.sign or quantity.id, *quantity.kin}


def fact_of(quantity: Quantity, reading: Reading, known: Range | None) -> Fact:
    """One reading beside its range."""
    value, unit, where = reading.value, quantity.unit, reading.where
    place = f" ({where})" if where else ""
    if known is None:
        return Fact(
            quantity.id, f"{quantity.name}{place}: {shown(value, unit)}", value, quantity.name, quantity.question, unit,
            where,
        )  # fmt: skip
    return Fact(
        id=quantity.id,
        text=f"{quantity.name}{place}: {shown(value, unit)} ({normal(known, unit)})",
        value=value,
        name=quantity.name,
        question=quantity.question,
        unit=unit,
        where=where,
        reference=(known.low, known.high),
        percentile=round(known.percentile(value, quantity), 1),
        flag=known.flag(value, quantity),
        n=known.n,
        stratum=known.stratum,
        surprise=known.surprise(value, quantity),
    )


def normal(known: Range, unit: str) -> str:
    """What healthy runs show, in words."""
    return f"healthy: {range_words(known.low, known.high, unit)}, n = {known.n}"


def percentile_words(fact: Fact) -> str:
    """`<1`, `>99`, or a whole number."""
    if fact.percentile is None:
        return ""
    return "<1" if fact.percentile < 1 else ">99" if fact.percentile > 99 else f"{fact.percentile:.0f}"


def range_words(low: float, high: float, unit: str) -> str:
    if unit in COUNTS:  # quantiles of counts are interpolated
        low, high = round(low), round(high)
    if unit == "yes/no" and shown(low, unit) != shown(high, unit):
        return "either"
    if shown(low, unit) == shown(high, unit):
        return shown(high, unit)
    if unit in ("share", "change") and max(abs(low), abs(high)) < LARGE:
        return f"{shown(low, unit).removesuffix(' %')} to {shown(high, unit)}"
    return f"{num(low)} to {num(high)}"


def shown(value: float, unit: str | None) -> str:
    """The value with its unit, as people write it."""
    if unit == "yes/no":
        return "yes" if value >= 0.5 else "no"
    if unit in ("share", "change") and abs(value) < LARGE:
        return f"{'+' if value > 0 and unit == 'change' else ''}{percent(value)}"
    if unit in ("times", "share", "change"):
        return f"{num(value)}×"
    if not unit or unit == "cosine":
        return num(value)
    return f"{num(value)} {unit.removesuffix('s') if value == 1 else unit}"
