"""A page of text: labels on the left, wrapped paragraphs, lists, tables, and curves drawn with characters.

In a narrow terminal the labels stand above their texts.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import zip_longest

import numpy as np
from numpy.typing import NDArray

from ...record import Series
from ...record.types import FloatArray, IntArray
from ...wording import clean, num
from .._look import Look

GAP = 2  # between the columns of a table


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


MARGIN = 14
NARROW = 60  # in a narrower terminal, labels are above their texts
INDENT = 2  # of the texts in a narrow terminal
READABLE = 120  # the widest paragraph; curves, tables and code take the whole width
STYLES = {"bold": "1", "dim": "2", "red": "1;31", "yellow": "1;33", "green": "1;32", "added": "32", "removed": "31"}


class Page:
    def __init__(self, look: Look) -> None:
        self.look = look
        self.margin = MARGIN if look.width >= NARROW else INDENT
        self.lines: list[str] = []

    def __str__(self) -> str:
        return "\n".join(self.lines).strip("\n")

    def gap(self) -> None:
        if self.lines and self.lines[-1]:
            self.lines.append("")

    def prose(self, label: str, text: str, *, style: str = "bold", bullet: str = "", mark: str | None = None) -> None:
        """A wrapped paragraph beside its label. `mark` colours the bullet."""
        bullet = clean(bullet, self.look.ascii_only)
        room = max(20, min(self.look.width, READABLE) - self.margin - cells(bullet))
        folded = fold(clean(text, self.look.ascii_only), room)
        hang = " " * cells(bullet)
        first = self.styled(bullet, mark) if mark and bullet else bullet
        self.block(label, [(hang if i else first) + line for i, line in enumerate(folded)], style=style)

    def block(self, label: str, lines: Iterable[str], *, style: str = "bold") -> None:
        """Lines as they are, for code, commands and curves. The first is beside the label."""
        for i, line in enumerate(lines):
            head = "" if i else label
            if head and self.margin < MARGIN:
                self.lines.append(self.styled(head, style))
                head = ""
            self.lines.append((self.styled(f"{head:<{self.margin}}", style) if head else " " * self.margin) + line)
            self.lines[-1] = self.lines[-1].rstrip()

    def styled(self, text: str, style: str) -> str:
        return f"\x1b[{STYLES[style]}m{text}\x1b[0m" if self.look.colour else text


BLOCKS = " ▁▂▃▄▅▆▇█"
ASCII_BLOCKS = " .:#"
BROKEN = "×"  # a loss that is NaN or Inf
ASCII_BROKEN = "x"
COLUMNS_PER_POINT = 4  # at most, so that a curve of five epochs is neither tiny nor stretched over the page
FEWEST_COLUMNS = 24  # room for the labels of the axis
LOG_RANGE = 100.0  # values that span more than this ratio are drawn on a log scale
LABEL = len("-1.23e+308")  # the longest number on the left


@dataclass(frozen=True)
class Axis:
    """The horizontal axis of steps, shared by all curves of a figure."""

    first: int
    last: int
    columns: int
    unit: str = "step"

    def places(self, steps: IntArray) -> IntArray:
        """The column of each step."""
        share = (np.asarray(steps, float) - self.first) / max(1, self.last - self.first)
        return np.clip(np.rint(share * (self.columns - 1)), 0, self.columns - 1).astype(np.int64)


@dataclass(frozen=True)
class Bars:
    """What each column shows: the mean of its points, or that one of them is non-finite.

    A column without points repeats the column before it, which holds the last known loss. Columns before the first
    point are empty.
    """

    means: FloatArray  # NaN if the column is broken or empty
    broken: NDArray[np.bool_]

    @classmethod
    def of(cls, curve: Series, axis: Axis) -> Bars:
        finite = np.isfinite(curve.values)
        places = axis.places(curve.steps)
        counts = np.bincount(places[finite], minlength=axis.columns)
        shares = curve.values[finite] / counts[places[finite]]  # divided before summing: a sum could overflow
        means = np.bincount(places[finite], weights=shares, minlength=axis.columns).astype(np.float64)
        broken = np.bincount(places[~finite], minlength=axis.columns) > 0
        means[(counts == 0) | broken] = np.nan
        last_known = np.maximum.accumulate(np.where((counts > 0) | broken, np.arange(axis.columns), -1))
        known = last_known >= 0
        return cls(np.where(known, means[last_known], np.nan), known & broken[last_known])


@dataclass(frozen=True)
class Scale:
    """The vertical scale of values, shared by all curves of a figure."""

    low: float
    high: float

    @classmethod
    def over(cls, curves: Sequence[Bars]) -> Scale:
        drawn = np.concatenate([bars.means[np.isfinite(bars.means)] for bars in curves])
        return cls(float(drawn.min()), float(drawn.max())) if len(drawn) else cls(np.nan, np.nan)

    @property
    def log(self) -> bool:
        return self.low > 0 and self.high > self.low * LOG_RANGE

    @property
    def flat(self) -> bool:
        """Whether both ends print as the same number. Magnified, such a constant loss would seem to fall."""
        return not self.low < self.high or num(self.low) == num(self.high)

    def heights(self, values: FloatArray) -> FloatArray:
        """Values as shares of the height, from 0 to 1; NaN stays NaN."""
        low, high = self.low, self.high
        if self.flat:
            return np.where(np.isnan(values), np.nan, 0.0)
        if self.log:
            values, low, high = np.log(values), float(np.log(low)), float(np.log(high))
        # Halve first: the difference of two huge numbers of opposite sign would overflow.
        return np.asarray((values / 2 - low / 2) / (high / 2 - low / 2), np.float64)


def figure(
    curves: Sequence[Series], onset: int | None, *, width: int, rows: int, ascii_only: bool, unit: str = "step"
) -> list[str]:
    """The lines of a figure: all curves below each other on one scale, each `rows` high, and a mark at the onset."""
    steps = np.concatenate([curve.steps for curve in curves])
    columns = max(FEWEST_COLUMNS, min(width - LABEL - 2, COLUMNS_PER_POINT * max(map(len, curves))))
    axis = Axis(int(steps.min()), int(steps.max()), columns, unit)
    bars = [Bars.of(curve, axis) for curve in curves]
    scale = Scale.over(bars)
    labels = [""] * rows
    if np.isfinite(scale.low):
        labels[0], labels[-1] = num(scale.high), num(scale.low)
    margin = max(map(len, labels))
    lines = []
    for each in bars:
        drawn = _drawn(each, scale, rows, ascii_only)
        lines += [f"{label:>{margin}} |{line}" for label, line in zip(labels, drawn, strict=True)]
    remarks = ["log scale"] if scale.log else []
    if any(each.broken.any() for each in bars):
        remarks.append(f"{ASCII_BROKEN if ascii_only else BROKEN} = NaN or Inf")
    below = _below(axis, onset) + ([f"({', '.join(remarks)})"] if remarks else [])
    return lines + [" " * (margin + 2) + line for line in below]


def _drawn(bars: Bars, scale: Scale, rows: int, ascii_only: bool) -> list[str]:
    blocks, mark = (ASCII_BLOCKS, ASCII_BROKEN) if ascii_only else (BLOCKS, BROKEN)
    full = len(blocks) - 1
    # A column with a value is never empty, so its level is at least 1.
    levels = np.nan_to_num(1 + np.rint(scale.heights(bars.means) * (rows * full - 1))).astype(int)
    lines = []
    for row in reversed(range(rows)):
        line = [blocks[min(full, max(0, level - row * full))] for level in levels]
        if row == 0:
            line = [mark if broken else block for block, broken in zip(line, bars.broken, strict=True)]
        lines.append("".join(line).rstrip())
    return lines


def _below(axis: Axis, onset: int | None) -> list[str]:
    """The lines below the curves: the first and last step, and a mark at the onset."""
    first, last = f"{axis.unit} {axis.first}", str(axis.last)
    lines = [first if axis.first == axis.last else first + last.rjust(axis.columns - len(first))]
    if onset is not None and axis.first <= onset <= axis.last:
        place = int(axis.places(np.array([onset]))[0])
        words = f"from {axis.unit} {onset}"
        room = place + 2 + len(words) <= axis.columns
        lines.insert(0, " " * place + f"^ {words}" if room else f"{words} ^".rjust(place + 1))
    return lines
