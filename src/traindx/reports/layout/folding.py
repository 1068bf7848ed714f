"""Wraps text to the width of the page."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable


def cells(text: str) -> int:
    """The width of `text` in terminal columns."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text
    )


def fold(text: str, width: int) -> list[str]:
    """Break `text` into lines of at most `width` columns without losing any of it."""
    lines: list[str] = []
    line = ""
    for word in _breakable(_units_kept(text.split()), width):
        if not line:
            line = word
        elif cells(line) + 1 + cells(word) <= width:
            line += " " + word
        else:
            lines.append(line)
            line = word
    if line:
        lines.append(line)
    return lines


def _units_kept(words: Iterable[str]) -> list[str]:
    """The words, with a percent sign joined to its number."""
    kept: list[str] = []
    for word in words:
        if word.startswith("%") and kept and kept[-1][-1:].isdigit():
            kept[-1] += f" {word}"
        else:
            kept.append(word)
    return kept


def _breakable(words: Iterable[str], width: int) -> Iterable[str]:
    """The words. Words longer than a line (paths, layer names) are split into pieces that fit."""
    for word in words:
        piece = ""
        for char in word if cells(word) > width else ():
            if cells(piece + char) > width:
                yield piece
                piece = ""
            piece += char
        yield piece or word
