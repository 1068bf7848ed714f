"""Collects rows of named numbers column by column, in bounded memory."""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterator, Mapping
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..record.types import FloatArray, IntArray
from ._cells import Column, Table
from ._columns import PHASES

# 16 bytes a cell: some 400 MB at the most. Past it every second row goes, so that a log of any length fits.
MOST_CELLS = 24_000_000
MOST_COLUMNS = 4096
# Rows with a number that is not finite are kept when others go; past so many they are the normal state.
MOST_PROTECTED = 10_000
MODE_KEYS = frozenset({"mode", "phase", "split", "stage", "subset"})
_NOT_NUMBERS = {"na", "n/a", "none", "null", "-", "--", ""}
DEEPEST_KEYS = 4
Scalar = TypeVar("Scalar", np.int64, np.float64)


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
    phases = (PHASES.get(str(value).lower(), "") for key, value in row.items() if str(key).lower() in MODE_KEYS)
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


def _joined(parts: list[NDArray[Scalar]]) -> NDArray[Scalar]:
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


class Collector:
    """Takes rows one by one or blocks of columns; gives a `Table`."""

    def __init__(self) -> None:
        self._growing: dict[str, tuple[array[int], array[float]]] = {}
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
        for name, value in row.items():
            column = self._growing.get(name)
            if column is None:
                if len(self._growing) >= MOST_COLUMNS:
                    continue
                column = self._growing[name] = (array("q"), array("d"))
            column[0].append(at)
            column[1].append(value)
        self._cells += len(row)
        if self._cells > MOST_CELLS and self._every < self.length:
            self._thin()

    def add_block(self, length: int, columns: Mapping[str, tuple[IntArray, FloatArray]]) -> None:
        """A block of `length` rows: for each column the numbers of its filled rows, and their values."""
        # Columns filled throughout share one array of row numbers, here and wherever that array goes.
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
        self._cells = 0
        for name, column in columns.items():
            thinned = self._thinned(column)
            self._cells += len(thinned.rows)
            if name in self._blocks:
                self._blocks[name] = [thinned]
            else:
                self._growing[name] = (array("q", thinned.rows.tobytes()), array("d", thinned.values.tobytes()))

    def _columns(self) -> dict[str, Column]:
        columns = {
            name: Column(np.frombuffer(rows, np.int64).copy(), np.frombuffer(values, np.float64).copy())
            for name, (rows, values) in self._growing.items()
        }
        joined: dict[tuple[int, ...], IntArray] = {}
        for name, blocks in self._blocks.items():
            shared = tuple(id(block.rows) for block in blocks)
            if shared not in joined:
                joined[shared] = _joined([block.rows for block in blocks])
            columns[name] = Column(joined[shared], _joined([block.values for block in blocks]))
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
