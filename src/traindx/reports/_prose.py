"""Text for people: clean characters, lines that fit, numbers as they are spoken."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

ELLIPSIS = "…"
# What a stream without Unicode gets instead; everything else that it cannot show becomes a question mark.
PLAIN = {
    "–": "-", "—": "-", "−": "-", "·": "-", "•": "-", "×": "x", "…": "...", "→": "->", "≥": ">=", "≤": "<=", "≈": "~",
    "±": "+/-", "µ": "u", "‘": "'", "’": "'", "“": '"', "”": '"', "\u00a0": " ", "\u2009": " ", "\u202f": " ",
}  # fmt: skip


def clean(text: str, ascii_only: bool = False) -> str:
    """`text` without control characters: names and messages come from files, and a terminal obeys escapes."""
    text = "".join(char if char.isprintable() or char == "\n" else " " for char in text.expandtabs(4))
    if ascii_only:
        text = "".join(char if char.isascii() else PLAIN.get(char, "?") for char in text)
    return text


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


def percent(share: float) -> str:
    """A probability as people read it. Nothing is ever quite certain or quite excluded."""
    if share < 0.01:
        return "<1 %"
    return ">99 %" if share > 0.99 else f"{100 * share:.0f} %"


def number(value: float) -> str:
    return f"{value:.3g}"


def counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
