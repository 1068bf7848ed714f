"""Lines that fit the page."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

from ..wording import clean, counted
from ..wording import num as number
from ..wording import probability as percent

__all__ = ["cells", "clean", "counted", "fold", "number", "percent"]

ELLIPSIS = "…"


def cells(text: str) -> int:
    """How many columns of a terminal `text` takes."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text
    )


def fold(text: str, width: int, limit: int | None = None) -> list[str]:
    """Break `text` into lines of at most `width` columns; past `limit` lines it ends in an ellipsis."""
    lines: list[str] = []
    line = ""
    for word in _breakable(text.split(), width):
        if not line:
            line = word
        elif cells(line) + 1 + cells(word) <= width:
            line += " " + word
        else:
            lines.append(line)
            line = word
    if line:
        lines.append(line)
    if limit is not None and len(lines) > limit:
        last = lines[limit - 1]
        while last and cells(last) + 2 > width:
            last = last.rpartition(" ")[0] or last[:-1]
        lines[limit - 1 :] = [f"{last} {ELLIPSIS}".strip()]
    return lines


def _breakable(words: Iterable[str], width: int) -> Iterable[str]:
    """The words, those longer than a line (paths, layer names) cut into pieces that fit."""
    for word in words:
        piece = ""
        for char in word if cells(word) > width else ():
            if cells(piece + char) > width:
                yield piece
                piece = ""
            piece += char
        yield piece or word
