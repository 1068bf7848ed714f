"""Reads numbers as people type them: `50M`, `2,000`, `1e-3`, `12k`."""

from __future__ import annotations

import re

from ._base import AnswerError

_UNITS = {"": 1.0, "k": 1e3, "m": 1e6, "mio": 1e6, "million": 1e6, "b": 1e9, "bn": 1e9, "billion": 1e9}
_UNITS |= {"thousand": 1e3, "g": 1e9}
_NUMBER = re.compile(
    r"(?<![\w.])[-+]?(\d{1,3}(?:[,_' ]\d{3})+(?![\d])|\d+\.?\d*(?:e[-+]?\d+)?|\.\d+(?:e[-+]?\d+)?)\s*"
    r"(k|m|mio|million|b|bn|billion|thousand|g)?(?![\w])",
    re.IGNORECASE,
)


def first_number(text: str, what: str) -> float:
    found = numbers_in(text)
    if not found or found[0] <= 0:
        raise AnswerError(f"please give {what} as a number, for example 32, 2,000 or 50M")
    return found[0]


def numbers_in(text: str) -> list[float]:
    """Every number in `text`, multiplied by its unit."""
    found = []
    for digits, unit in _NUMBER.findall(text):
        plain = re.sub(r"[,_' ]", "", digits)
        found.append(float(plain) * _UNITS[unit.lower()])
    return [value for value in found if value < 1e300]


def negative_powers(text: str) -> str:
    """The text with `10^-3` and `10**-3` written as `1e-3`."""
    return re.sub(r"\b10\s*(?:\^|\*\*)\s*(-?\d+)", r"1e\1", text)
