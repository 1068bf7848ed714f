"""Collects rows of named numbers column by column, in bounded memory."""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from ..record.types import FloatArray, IntArray
from ._columns import PHASES
from ._rows import Column, Table

# 16 bytes a cell: some 400 MB at the most. Past it every second row goes, so that a log of any length fits.
MOST_CELLS = 24_000_000
MOST_COLUMNS = 4096
_MODE_KEYS = frozenset({"mode", "phase", "split", "stage", "subset"})
_NOT_NUMBERS = {"na", "n/a", "none", "null", "-", "--", ""}
DEEPEST_KEYS = 4


def number(value: Any) -> float | None:
    """A cell's number, or None where it holds none; text such as "0.91", "NaN", "13.5%" counts."""
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, (int, float)):
        try:
            return float(value)
        except OverflowError:
            return math.inf if value > 0 else -math.inf
    if isinstance(value, str) and len(value) < 40:
        text = value.strip().strip("*%").replace(",", "")
        if text.lower() not in _NOT_NUMBERS and not text.startswith("_"):
            try:
                return float(text)
            except ValueError:
                return None
    return None


def numbers_in(row: Mapping[Any, Any]) -> dict[str, float]:
    """The numbers of a nested mapping under names like `train/loss`; a `mode: val` entry prefixes the others."""
    phases = (PHASES.get(str(value).lower(), "") for key, value in row.items() if str(key).lower() in _MODE_KEYS)
    phase = next(filter(None, phases), "")
    found = dict(_flatten(row, "", DEEPEST_KEYS))
    if phase in ("validation", "test"):
        # The step of such a row counts evaluation batches.
        return {f"{phase}/{name}": x for name, x in found.items() if name not in ("iter", "step")} | (
            {"epoch": found["epoch"]} if "epoch" in found else {}
        )
    return found


def _flatten(row: Mapping[Any, Any], prefix: str, depth: int) -> Iterator[tuple[str, float]]:
    for key, value in row.items():
        name = f"{prefix}{key}"
        if isinstance(value, Mapping):
            if depth:
                yield from _flatten(value, name + "/", depth - 1)
        elif (x := number(value)) is not None:
            yield name, x


class Collector:
    """Takes rows one by one or blocks of columns; gives a `Table`."""

    def __init__(self) -> None:
        self._growing: dict[str, tuple[array[int], array[float]]] = {}
        self._blocks: dict[str, list[tuple[IntArray, FloatArray]]] = {}
        self._cells = 0
        self._every = 1
        self.length = 0

    def add(self, row: Mapping[str, float]) -> None:
        at = self.length
        self.length += 1
        if self._every > 1 and at % self._every and all(map(math.isfinite, row.values())):
            return
        for name, value in row.items():
            column = self._growing.get(name)
            if column is None:
                if len(self._growing) >= MOST_COLUMNS:
                    continue
                column = self._growing[name] = (array("q"), array("d"))
            column[0].append(at)
            column[1].append(value)
        self._cells += len(row)
        if self._cells > MOST_CELLS:
            self._thin()

    def add_block(self, length: int, columns: Mapping[str, tuple[IntArray, FloatArray]]) -> None:
        """A block of `length` rows: for each column the numbers of its filled rows, and their values."""
        for name, (rows, values) in columns.items():
            rows = rows + self.length
            if self._every > 1:
                keep = (rows % self._every == 0) | ~np.isfinite(values)
                rows, values = rows[keep], values[keep]
            if len(rows) and (name in self._blocks or len(self._blocks) < MOST_COLUMNS):
                self._blocks.setdefault(name, []).append((rows, values))
                self._cells += len(rows)
        self.length += length
        while self._cells > MOST_CELLS and self._every < 1 << 40:
            self._thin()

    def _thin(self) -> None:
        self._every *= 2
        cells = 0
        for name, column in self._columns().items():
            keep = (column.rows % self._every == 0) | ~np.isfinite(column.values)
            rows, values = column.rows[keep], column.values[keep]
            cells += len(rows)
            if name in self._blocks:
                self._blocks[name] = [(rows, values)]
            else:
                self._growing[name] = (array("q", rows.tobytes()), array("d", values.tobytes()))
        self._cells = cells

    def _columns(self) -> dict[str, Column]:
        columns = {
            name: Column(np.frombuffer(rows, np.int64).copy(), np.frombuffer(values, np.float64).copy())
            for name, (rows, values) in self._growing.items()
        }
        for name, blocks in self._blocks.items():
            columns[name] = Column(np.concatenate([b[0] for b in blocks]), np.concatenate([b[1] for b in blocks]))
        return columns

    def table(self) -> Table:
        columns = self._columns()
        notes = []
        length = self.length
        if self._every > 1:
            notes.append(f"a very long log: one row in {self._every} is kept, and all that are not finite")
            used = np.unique(np.concatenate([c.rows for c in columns.values()]))
            columns = {
                name: Column(np.searchsorted(used, c.rows).astype(np.int64), c.values) for name, c in columns.items()
            }
            length = len(used)
        return Table(columns, length, notes)
