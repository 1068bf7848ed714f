"""What all writers share: their description, their result, and number text."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..model import Run

Rng = np.random.Generator


@dataclass(frozen=True)
class Written:
    """A written log: its bytes, and how the run's own position reads in it (`at * factor + offset`, in `unit`)."""

    content: bytes
    unit: str
    factor: float = 1.0
    offset: float = 0.0
    by_row: bool = False


@dataclass(frozen=True)
class Format:
    """A log format: what it can carry and how it is written."""

    name: str
    suffix: str
    write: Callable[[Run, Rng], Written]
    units: frozenset[str] = frozenset({"epoch", "step"})
    carries: frozenset[str] | None = None
    tail: bool = False
    decimals: int | None = None
    max_rows: int | None = None
    full_rows: bool = False
    tasks: frozenset[str] | None = None

    def fits(self, run: Run) -> bool:
        """Whether the run's label can still be seen in this format."""
        if run.plan.unit not in self.units or (run.tail and not self.tail):
            return False
        if self.tasks is not None and run.plan.task not in self.tasks:
            return False
        if self.carries is not None and not run.needs <= self.carries:
            return False
        if self.max_rows is not None and run.plan.n > self.max_rows:
            return False
        if self.full_rows and any(len(run.columns[name][0]) != run.plan.n for name in run.needs):
            return False
        return self.decimals is None or _big_enough(run, self.decimals)

    def columns(self, run: Run) -> list[str]:
        """The run's columns that this format carries."""
        return [c for c in run.columns if self.carries is None or c in self.carries]


def _big_enough(run: Run, decimals: int) -> bool:
    """Whether losses keep at least two or three digits when written with so many decimals."""
    for name in ("loss", "val_loss"):
        if name in run.columns:
            values = np.abs(run.columns[name][1])
            values = values[np.isfinite(values) & (values > 0)]
            if len(values) and np.median(values) < 200 * 10.0**-decimals:
                return False
    return True


def number(value: float, digits: int = 6) -> str:
    """A number as programs print it: short, `nan` and `inf` in words."""
    if math.isnan(value):
        return "nan"
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    return f"{value:.{digits}g}"


def fixed(value: float, decimals: int = 4) -> str:
    """A number with fixed decimals, in scientific form where that would print only zeros (as Keras does)."""
    if not math.isfinite(value):
        return number(value)
    if value != 0 and abs(value) < 10.0 ** -(decimals - 1):
        return f"{value:.{decimals}e}"
    return f"{value:.{decimals}f}"


def text(lines: list[str]) -> bytes:
    """Lines as bytes, with a final newline."""
    return ("\n".join(lines) + "\n").encode()


def notes_at(run: Run) -> dict[int, list[str]]:
    """The extra lines of a run, by row."""
    book: dict[int, list[str]] = {}
    for row, line in run.notes:
        book.setdefault(row, []).append(line)
    return book
