"""Reads lines that are similar to earlier lines fast.

The *skeleton* of a line is its text without the numbers. Training scripts print a few skeletons again and again. The
first line of each is read word by word (`phrases`). From it comes a *plan*, which says what each number means in all
other lines of that skeleton.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import accumulate

from .phrases import Said, said

# The pattern begins with a plain character class so that the regex engine can skip text fast. It may match too much
# (`5...`); a match that is not a number is then read word by word.
_DIGITS = r"[0-9][0-9.]*(?:,[0-9]{3}(?![0-9])[0-9.]*){0,5}(?:[eE][-+]?[0-9]+)?"
_NUMBERS = re.compile(f"({_DIGITS})")
_NUMBERS_AND_WORDS = re.compile(
    rf"({_DIGITS}|[nNiI](?:(?<![A-Za-z_0-9].)(?:[aA][nN]|[nN][fF](?:inity)?)(?![A-Za-z_0-9])))"
)
# Without a limit, text that never repeats would fill the memory with skeletons.
MOST_SKELETONS = 20_000
Number = tuple[int, float]  # the index of a number among those of its line, and its sign


@dataclass(frozen=True)
class Plan:
    """Says what each number of a line means."""

    values: dict[str, Number]
    epoch: Number | None = None
    position: Number | None = None
    of: Number | None = None
    evaluating: bool = False

    def read(self, numbers: list[str]) -> Said:
        """Return what a line with these numbers says. Raises ValueError if one of them cannot be parsed."""

        def value(number: Number | None) -> float | None:
            return None if number is None else number[1] * to_float(numbers[number[0]])

        values = {name: sign * to_float(numbers[place]) for name, (place, sign) in self.values.items()}
        return Said(values, value(self.epoch), value(self.position), value(self.of), self.evaluating)


class Skeletons:
    """Remembers the plan of each skeleton."""

    def __init__(self) -> None:
        self._plans: dict[tuple[str, ...], Plan | str | None] = {}

    def said(self, line: str) -> Said | None:
        parts = split_numbers(line)
        skeleton = tuple(parts[::2])
        plan = self._plans.get(skeleton, "")
        if isinstance(plan, Plan):
            try:
                return plan.read(parts[1::2])
            except ValueError:
                return said(line)
        if plan == "nothing":
            return None
        found = said(line)
        if plan == "" and len(self._plans) < MOST_SKELETONS:
            self._plans[skeleton] = "nothing" if found is None else plan_of(found, parts)
        return found


def split_numbers(text: str) -> list[str]:
    """Return text and numbers in turn, beginning and ending with text."""
    return (_NUMBERS_AND_WORDS if _may_say_nan(text) else _NUMBERS).split(text)


def _may_say_nan(text: str) -> bool:
    text = text.lower()
    return "nan" in text or ("inf" in text and "inf" in text.replace("info", ""))


def plan_of(found: Said, parts: list[str]) -> Plan | None:
    """Return how to read other lines of this skeleton; None if they must be read word by word."""
    if found.places is None:
        return None
    starts = {start: i for i, start in enumerate(accumulate(map(len, parts), initial=0)) if i % 2}
    numbers: dict[str, Number] = {}
    for what, at in found.places.items():
        if at in starts:
            numbers[what] = (starts[at] // 2, 1.0)
        elif at + 1 in starts and parts[starts[at + 1] - 1][-1:] in ("-", "+"):
            numbers[what] = (starts[at + 1] // 2, -1.0 if parts[starts[at + 1] - 1][-1] == "-" else 1.0)
    epoch, position, of = (numbers.pop(f"|{what}", None) for what in ("epoch", "position", "of"))
    plan = Plan(numbers, epoch, position, of, found.evaluating)
    # A plan is used only if it reads this line correctly.
    try:
        correct = repr(replace(plan.read(parts[1::2]), places=None)) == repr(replace(found, places=None))
    except ValueError:
        return None
    return plan if correct else None


def to_float(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return float(text.replace(",", ""))
