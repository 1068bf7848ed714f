"""Numbers written with a decimal comma, as programs do under many locales: `2,71`."""

from __future__ import annotations

import re

_POINT = re.compile(r"(?<![\d.,])\d+\.\d+(?![\d.,])")
_COMMA = re.compile(r"(?<![\d.,])\d+,\d+(?![\d.,])")
_SEPARATES = re.compile(r"\d,\d{1,3}\.\d{4}")  # "0,0.3947": two numbers
_THOUSANDS = re.compile(r"[1-9]\d{0,2},\d{3}")
_BETWEEN_DIGITS = re.compile(r"(?<=\d),(?=\d)")


def decimal_commas(text: str) -> bool:
    """Whether commas stand where others write a point: never a point, and commas that no thousands have."""
    if _POINT.search(text) or _SEPARATES.search(text):
        return False
    return any(not _THOUSANDS.fullmatch(found) for found in _COMMA.findall(text))


def with_points(text: str) -> str:
    return _BETWEEN_DIGITS.sub(".", text)
