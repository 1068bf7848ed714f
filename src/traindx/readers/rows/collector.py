"""Collects rows of named numbers column by column, in bounded memory.

Of a log that is too long rows are dropped, but none that shows what a curve does.
"""

from __future__ import annotations

import json
import math
import re
from array import array
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from ...record.types import FloatArray, IntArray, distinct
from ..meaning.names import PHASES
from .table import Column, Table

_POINT = re.compile(r"(?<![\d.,])\d+\.\d+(?![\d.,])")
_COMMA = re.compile(r"(?<![\d.,])\d+,\d+(?![\d.,])")
_SEPARATES = re.compile(r"\d,\d{1,3}\.\d{4}")  # "0,0.3947": two numbers
_THOUSANDS = re.compile(r"[1-9]\d{0,2},\d{3}")
RATIO = 10  # a library may print a point (`25.5M parameters`) among the many commas of a German program
_BETWEEN_DIGITS = re.compile(r"(?<=\d),(?=\d)")


def decimal_commas(text: str) -> bool:
    """Return whether the text uses decimal commas: hardly a decimal point, and commas that separate no thousands."""
    commas = [found for found in _COMMA.findall(text) if not _THOUSANDS.fullmatch(found)]
    return len(commas) > RATIO * len(_POINT.findall(text)) and not _SEPARATES.search(text)


def with_points(text: str) -> str:
    return _BETWEEN_DIGITS.sub(".", text)


# Rows with a non-finite number are kept when others are dropped, but not more than this many.
MOST_BROKEN = 10_000
# Of each column the lowest and the highest value in this many kept rows stay; twice this for each column.
STRETCH = 128


class Thinning:
    """Keeps one row in `every`, and rows with the first, last, lowest, highest or a non-finite value of a column."""

    def __init__(self) -> None:
        self.every = 1
        self._broken = np.zeros(0, np.int64)

    def double(self) -> None:
        self.every *= 2

    def thinned(self, columns: Mapping[str, Column]) -> dict[str, Column]:
        """Return the columns with the cells of the kept rows. Columns that share their rows share them still."""
        if self.every == 1 or not columns:
            return dict(columns)
        broken = [column.rows[~np.isfinite(column.values)] for column in columns.values()]
        self._broken = distinct(np.concatenate([self._broken, *broken]))[:MOST_BROKEN]
        stretch = self.every * STRETCH * max(4, 2 * len(columns))
        extremes = [np.array(list(_extremes(column, stretch)), np.int64) for column in columns.values()]
        stay = distinct(np.concatenate([self._broken, *extremes]))
        kept: dict[int, tuple[IntArray, IntArray]] = {}
        for column in columns.values():
            rows = column.rows
            if id(rows) not in kept:
                known = stay[np.minimum(np.searchsorted(stay, rows), len(stay) - 1)] == rows
                at = np.flatnonzero((rows % self.every == 0) | known).astype(np.int64)
                kept[id(rows)] = at, rows[at]
        found = {name: (kept[id(column.rows)], column.values) for name, column in columns.items()}
        return {name: Column(rows, values[at]) for name, ((at, rows), values) in found.items() if len(at)}


def _extremes(column: Column, stretch: int) -> Iterator[int]:
    """Yield the rows of the ends, and those of the lowest and highest finite value in each stretch of the log."""
    rows = column.rows
    yield from (int(rows[0]), int(rows[-1]))
    borders = np.flatnonzero(np.diff(rows // stretch)) + 1
    finite = np.isfinite(column.values)
    low: FloatArray = np.where(finite, column.values, np.inf)
    high: FloatArray = np.where(finite, column.values, -np.inf)
    for begin, end in zip([0, *borders.tolist()], [*borders.tolist(), len(rows)], strict=True):
        yield int(rows[begin + int(np.argmin(low[begin:end]))])
        yield int(rows[begin + int(np.argmax(high[begin:end]))])


# Together with the copies that are made on the way to a run this is about 250 MB. Beyond it rows are dropped.
MOST_CELLS = 8_000_000
MOST_COLUMNS = 4096
MOST_SHAPES = 1024
MOST_WAITING = 1 << 21  # values of rows that came one by one
MODE_KEYS = frozenset({"mode", "phase", "split", "stage", "subset"})
_NOT_NUMBERS = {"na", "n/a", "none", "null", "-", "--", ""}
DEEPEST_KEYS = 4
_PLAIN = frozenset((float, int))


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


def parsed(text: str | bytes) -> Any:
    """Return the value of a piece of JSON, or None if it is damaged."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def numbers_in(row: Mapping[Any, Any]) -> dict[str, float]:
    """Return the numbers of a nested mapping under names like `train/loss`. An entry `mode: val` is put in front."""
    if _PLAIN.issuperset(map(type, row.values())):
        try:
            return dict(zip(map(str, row), map(float, row.values()), strict=True))  # the usual case, four times as fast
        except OverflowError:
            pass
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


class _Cells:
    """The values of one column. It grows in place, because joining parts at the end would need all of them twice."""

    def __init__(self) -> None:
        self._room = np.empty(64)
        self._size = 0

    def extend(self, values: FloatArray) -> None:
        size = self._size + len(values)
        if size > len(self._room):
            larger = np.empty(max(size, 2 * len(self._room)))  # the system gives memory for what is written only
            larger[: self._size] = self._room[: self._size]
            self._room = larger
        self._room[self._size : size] = values
        self._size = size

    def values(self) -> FloatArray:
        return self._room[: self._size]


class Collector:
    """Receives rows one by one or blocks of columns, and makes a `Table`."""

    def __init__(self) -> None:
        # Rows with the same names in the same order wait together: their row numbers, and all values in sequence.
        self._shapes: dict[tuple[str, ...], tuple[array[int], array[float]]] = {}
        self._waiting = 0  # values of rows
        self._names: set[str] = set()
        self._rows: dict[str, list[IntArray]] = {}
        self._values: dict[str, _Cells] = {}
        self._cells = 0
        self._thinning = Thinning()
        self.length = 0

    def add(self, row: Mapping[str, float]) -> None:
        at = self.length
        self.length += 1
        names = tuple(row)
        shape = self._shapes.get(names)
        if shape is None:
            if not self._names.issuperset(names) and len(self._names) + len(names) > MOST_COLUMNS:
                row = {name: value for name, value in row.items() if name in self._names}
                names = tuple(row)
            shape = self._shape(names)
        shape[0].append(at)
        shape[1].extend(row.values())
        self._waiting += len(names)
        if self._waiting > MOST_WAITING:
            self._flush_rows()

    def _shape(self, names: tuple[str, ...]) -> tuple[array[int], array[float]]:
        if len(self._shapes) >= MOST_SHAPES:
            self._flush_rows()
        self._names.update(names)
        return self._shapes.setdefault(names, (array("q"), array("d")))

    def _flush_rows(self) -> None:
        """Turn the rows that came one by one into columns."""
        shapes, self._shapes, self._waiting = self._shapes, {}, 0
        for names, (rows, values) in shapes.items():
            numbers = np.frombuffer(rows, np.int64)
            table = np.frombuffer(values, np.float64).reshape(len(numbers), len(names))
            self._place({name: Column(numbers, table[:, place]) for place, name in enumerate(names)})

    def add_block(self, length: int, columns: Mapping[str, tuple[IntArray, FloatArray]]) -> None:
        """Add a block of `length` rows: for each column the row numbers of its filled cells, and their values."""
        # Columns without empty cells share one array of row numbers, here and in all later steps.
        moved = {id(rows): rows + self.length if self.length else rows for rows, _ in columns.values()}
        self.length += length
        self._place({name: Column(moved[id(rows)], values) for name, (rows, values) in columns.items() if len(rows)})

    def _place(self, columns: Mapping[str, Column]) -> None:
        for name, column in self._thinning.thinned(columns).items():
            if name in self._rows or len(self._rows) < MOST_COLUMNS:
                self._rows.setdefault(name, []).append(column.rows)
                self._values.setdefault(name, _Cells()).extend(column.values)
                self._cells += len(column.rows)
        while self._cells > MOST_CELLS and self._thinning.every < self.length:
            self._thinning.double()
            columns, self._cells = self._columns(), 0
            self._place(columns)

    def _columns(self) -> dict[str, Column]:
        """Return what was collected, and keep nothing of it."""
        columns = {}
        joined: dict[tuple[int, ...], tuple[IntArray, IntArray | None]] = {}
        parts, self._rows = self._rows, {}
        for name, rows_of_parts in parts.items():
            shared = tuple(map(id, rows_of_parts))
            if shared not in joined:
                joined[shared] = _in_order(rows_of_parts)
            rows, order = joined[shared]
            values = self._values.pop(name).values()
            columns[name] = Column(rows, values if order is None else values[order])
        return columns

    def table(self) -> Table:
        """Return everything as a table. The collector is empty then."""
        self._flush_rows()
        columns = self._columns()
        notes = []
        length = self.length
        if self._thinning.every > 1:
            some = f"one row in {self._thinning.every} is read"
            notes.append(f"a very long log: {some}, and the rows with extremes or non-finite numbers")
            used = distinct(np.concatenate([column.rows for column in columns.values()]))
            columns = {
                name: Column(np.searchsorted(used, c.rows).astype(np.int64), c.values) for name, c in columns.items()
            }
            length = len(used)
        return Table(columns, length, notes)


def table_of(rows: Iterable[Any]) -> Table:
    """Return the numbers in these objects; what is no object is left out."""
    collector = Collector()
    for row in rows:
        if isinstance(row, Mapping):
            collector.add(numbers_in(row))
    return collector.table()


def _in_order(parts: list[IntArray]) -> tuple[IntArray, IntArray | None]:
    """Return the sorted row numbers, and the order that sorts their values; None if they are sorted already."""
    rows = parts[0] if len(parts) == 1 else np.concatenate(parts)
    if np.all(rows[1:] > rows[:-1]):
        return rows, None
    order = np.argsort(rows)
    return rows[order], order
