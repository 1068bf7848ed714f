"""Numbers with a decimal comma (`2,71`), as programs write them under many locales."""

from __future__ import annotations

import re

_POINT = re.compile(r"(?<![\d.,])\d+\.\d+(?![\d.,])")
_COMMA = re.compile(r"(?<![\d.,])\d+,\d+(?![\d.,])")
_SEPARATES = re.compile(r"\d,\d{1,3}\.\d{4}")  # "0,0.3947": two numbers
_THOUSANDS = re.compile(r"[1-9]\d{0,2},\d{3}")
_BETWEEN_DIGITS = re.compile(r"(?<=\d),(?=\d)")


def decimal_commas(text: str) -> bool:
    """Return whether the text uses decimal commas: no decimal point, and commas that do not separate thousands."""
    if _POINT.search(text) or _SEPARATES.search(text):
        return False
    return any(not _THOUSANDS.fullmatch(found) for found in _COMMA.findall(text))


def with_points(text: str) -> str:
    return _BETWEEN_DIGITS.sub(".", text)
