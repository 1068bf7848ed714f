"""Rows of a table whose cells wrap instead of being cut."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

from .folding import cells, fold

GAP = 2


def row(texts: Sequence[str], widths: Sequence[int], right: Sequence[bool] | None = None) -> list[str]:
    """The lines of one row. Each text is wrapped to its column's width and aligned to the right if `right` says so."""
    columns = [fold(text, width) or [""] for text, width in zip(texts, widths, strict=True)]
    pushed = right or [False] * len(widths)
    lines = []
    for parts in zip_longest(*columns, fillvalue=""):
        padded = [_padded(part, width, push) for part, width, push in zip(parts, widths, pushed, strict=True)]
        lines.append((" " * GAP).join(padded).rstrip())
    return lines


def _padded(text: str, width: int, right: bool) -> str:
    room = " " * max(0, width - cells(text))
    return room + text if right else text + room
