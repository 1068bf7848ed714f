"""Reads lines like earlier lines fast.

A line's *skeleton* is its text without the numbers. Training scripts print a handful of skeletons over and over:
the first line of each is read word by word (`_phrases`), and for the others it is known which number is what.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from itertools import accumulate

from .phrases import Said, said

# Begins with a plain character class on purpose: that lets the engine skip through text. It may take too much (`5...`):
# what is no number then is read the slow way.
_DIGITS = r"[0-9][0-9.]*(?:,[0-9]{3}(?![0-9])[0-9.]*)*(?:[eE][-+]?[0-9]+)?"
_NUMBERS = re.compile(f"({_DIGITS})")
_NUMBERS_AND_WORDS = re.compile(
    rf"({_DIGITS}|[nNiI](?:(?<![A-Za-z_0-9].)(?:[aA][nN]|[nN][fF](?:inity)?)(?![A-Za-z_0-9])))"
)
# Text that never repeats would fill the memory with skeletons.
MOST_SKELETONS = 20_000
_Plan = Callable[[list[str]], Said | None]


class Skeletons:
    """Remembers skeletons and how to read them."""

    def __init__(self) -> None:
        self._plans: dict[tuple[str, ...], _Plan | None] = {}

    def said(self, line: str) -> Said | None:
        parts = (_NUMBERS_AND_WORDS if _may_say_nan(line) else _NUMBERS).split(line)
        skeleton = tuple(parts[::2])
        if skeleton in self._plans:
            plan = self._plans[skeleton]
            try:
                return said(line) if plan is None else plan(parts)
            except ValueError:
                return said(line)
        found = said(line)
        if len(self._plans) < MOST_SKELETONS:
            self._plans[skeleton] = _plan(found, parts)
        return found


def _may_say_nan(line: str) -> bool:
    text = line.lower()
    return "nan" in text or ("inf" in text and "inf" in text.replace("info", ""))


def _plan(found: Said | None, parts: list[str]) -> _Plan | None:
    """How to read another line of this skeleton; None where that takes the slow way."""
    if found is None:
        return lambda _: None
    if found.places is None:
        return None
    starts = {start: i for i, start in enumerate(accumulate(map(len, parts), initial=0)) if i % 2}
    signed = {start - 1: i for start, i in starts.items() if parts[i - 1].endswith(("-", "+"))}
    numbers = {what: _index(at, starts, signed) for what, at in found.places.items()}
    epoch, position, of = (numbers.pop(f"|{what}", None) for what in ("epoch", "position", "of"))
    named = [(name, index) for name, index in numbers.items() if index is not None]
    plain = [name for name, index in named if index > 0], [index for _, index in named if index > 0]

    def read(parts: list[str]) -> Said:
        if len(plain[0]) == len(named):
            values = dict(zip(plain[0], map(_strictly, [parts[index] for index in plain[1]]), strict=True))
        else:
            values = {name: _number(parts, index) for name, index in named}
        return Said(
            values,
            None if epoch is None else _number(parts, epoch),
            None if position is None else _number(parts, position),
            None if of is None else _number(parts, of),
            found.evaluating,
        )

    # The proof: read so, the line says what it said.
    try:
        return read if repr(replace(read(parts), places=None)) == repr(replace(found, places=None)) else None
    except ValueError:
        return None


def _index(at: int, starts: dict[int, int], signed: dict[int, int]) -> int | None:
    """Which part of the line the number at `at` is; negative where a sign in front of it belongs to it."""
    return starts[at] if at in starts else -signed[at] if at in signed else None


def _number(parts: list[str], index: int) -> float:
    return _strictly(parts[index] if index > 0 else parts[-index - 1][-1] + parts[-index])


def _strictly(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return float(text.replace(",", ""))
