"""Collects rows of named numbers column by column, in bounded memory."""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from ...record.types import FloatArray, IntArray
from ..meaning.names import PHASES
from ..text.decimals import decimal_commas, with_points
from .table import Column, Table

# At 16 bytes per cell this is about 400 MB. Beyond it every second row is dropped, so that a log of any length fits.
MOST_CELLS = 24_000_000
MOST_COLUMNS = 4096
MOST_SHAPES = 1024
# Rows with a non-finite number are kept when others are dropped, but not more than this many.
MOST_PROTECTED = 10_000
MODE_KEYS = frozenset({"mode", "phase", "split", "stage", "subset"})
_NOT_NUMBERS = {"na", "n/a", "none", "null", "-", "--", ""}
DEEPEST_KEYS = 4


def number(value: Any) -> float | None:
    """Return the number in a cell, or None if it holds none. Text such as "0.91", "NaN" or "13.5%" is a number."""
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, (int, float)):
        try:
            return float(value)
        except OverflowError:
            return math.inf if value > 0 else -math.inf
    if isinstance(value, str) and len(value) < 40:
        text = value.strip().strip("*%")
        text = with_points(text) if decimal_commas(text) else text.replace(",", "")
        if text.lower() not in _NOT_NUMBERS and not text.startswith("_"):
            try:
                return float(text)
            except ValueError:
                return None
    return None


def numbers_in(row: Mapping[Any, Any]) -> dict[str, float]:
    """Return the numbers of a nested mapping under names like `train/loss`. An entry `mode: val` is put in front."""
    phases = (PHASES.get(str(value).lower(), "") for key, value in row.items() if str(key).lower() in MODE_KEYS)
    phase = next(filter(None, phases), "")
    found = dict(_flatten(row, "", DEEPEST_KEYS))
    if phase in ("validation", "test"):
        # The step of an evaluation row counts the batches of the evaluation.
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
    """Receives rows one by one or blocks of columns, and makes a `Table`."""

    def __init__(self) -> None:
        # Rows with the same names in the same order are stored together: their row numbers, and all values in sequence.
        self._shapes: dict[tuple[str, ...], tuple[array[int], array[float]]] = {}
        self._names: set[str] = set()
        self._blocks: dict[str, list[Column]] = {}
        self._cells = 0
        self._every = 1
        self._protected = np.zeros(0, np.int64)
        self.length = 0

    def add(self, row: Mapping[str, float]) -> None:
        at = self.length
        self.length += 1
        if self._every > 1 and at % self._every:
            if len(self._protected) >= MOST_PROTECTED or all(map(math.isfinite, row.values())):
                return
            self._protected = np.append(self._protected, at)
        names = tuple(row)
        shape = self._shapes.get(names)
        if shape is None:
            if not self._names.issuperset(names) and len(self._names) + len(names) > MOST_COLUMNS:
                row = {name: value for name, value in row.items() if name in self._names}
                names = tuple(row)
            shape = self._shape(names)
        shape[0].append(at)
        shape[1].extend(row.values())
        self._cells += len(names)
        if self._cells > MOST_CELLS and self._every < self.length:
            self._thin()

    def _shape(self, names: tuple[str, ...]) -> tuple[array[int], array[float]]:
        if len(self._shapes) >= MOST_SHAPES:
            self._flush_rows()
        self._names.update(names)
        return self._shapes.setdefault(names, (array("q"), array("d")))

    def _flush_rows(self) -> None:
        """Turn the rows that came one by one into columns."""
        for names, (rows, values) in self._shapes.items():
            numbers = np.frombuffer(rows, np.int64).copy()
            table = np.frombuffer(values, np.float64).reshape(len(numbers), len(names))
            for place, name in enumerate(names):
                self._blocks.setdefault(name, []).append(Column(numbers, table[:, place].copy()))
        self._shapes.clear()

    def add_block(self, length: int, columns: Mapping[str, tuple[IntArray, FloatArray]]) -> None:
        """Add a block of `length` rows: for each column the row numbers of its filled cells, and their values."""
        # Columns without empty cells share one array of row numbers, here and in all later steps.
        moved = {id(rows): rows + self.length if self.length else rows for rows, _ in columns.values()}
        placed = {name: Column(moved[id(rows)], values) for name, (rows, values) in columns.items() if len(rows)}
        if self._every > 1:
            self._protect(placed)
            placed = {name: self._thinned(column) for name, column in placed.items()}
        for name, column in placed.items():
            if name in self._blocks or len(self._blocks) < MOST_COLUMNS:
                self._blocks.setdefault(name, []).append(column)
                self._cells += len(column.rows)
        self.length += length
        while self._cells > MOST_CELLS and self._every < self.length:
            self._thin()

    def _protect(self, columns: Mapping[str, Column]) -> None:
        broken = [column.rows[~np.isfinite(column.values)] for column in columns.values()]
        self._protected = np.unique(np.concatenate([self._protected, *broken]))[:MOST_PROTECTED]

    def _thinned(self, column: Column) -> Column:
        keep = (column.rows % self._every == 0) | np.isin(column.rows, self._protected)
        return Column(column.rows[keep], column.values[keep])

    def _thin(self) -> None:
        columns = self._columns()
        if self._every == 1:
            self._protect(columns)
        self._every *= 2
        self._blocks = {name: [self._thinned(column)] for name, column in columns.items()}
        self._cells = sum(len(column.rows) for [column] in self._blocks.values())

    def _columns(self) -> dict[str, Column]:
        self._flush_rows()
        columns = {}
        joined: dict[tuple[int, ...], tuple[IntArray, IntArray | None]] = {}
        for name, blocks in self._blocks.items():
            shared = tuple(id(block.rows) for block in blocks)
            if shared not in joined:
                joined[shared] = _in_order([block.rows for block in blocks])
            rows, order = joined[shared]
            values = blocks[0].values if len(blocks) == 1 else np.concatenate([block.values for block in blocks])
            columns[name] = Column(rows, values if order is None else values[order])
        return columns

    def table(self) -> Table:
        columns = self._columns()
        notes = []
        length = self.length
        if self._every > 1:
            notes.append(f"a very long log: one row in {self._every} is read, and the non-finite rows")
            used = np.unique(np.concatenate([c.rows for c in columns.values()]))
            columns = {
                name: Column(np.searchsorted(used, c.rows).astype(np.int64), c.values) for name, c in columns.items()
            }
            length = len(used)
        return Table(columns, length, notes)


def _in_order(parts: list[IntArray]) -> tuple[IntArray, IntArray | None]:
    """Return the sorted row numbers, and the order that sorts their values; None if they are sorted already."""
    rows = parts[0] if len(parts) == 1 else np.concatenate(parts)
    if np.all(rows[1:] > rows[:-1]):
        return rows, None
    order = np.argsort(rows)
    return rows[order], order
