"""Reads a `.tdx` file in its present state, even while another process writes it."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from .opening import RecordFile
from .run import MemoryStore, Run
from .types import Event, IntArray, LayerTable, Series
from .vocabulary import in_range, known_kinds

LARGEST_STEP = 1 << 53  # larger steps are not exact as floats
MOST_JSON = 32 << 20  # bytes of JSON in a record; Python objects may need thirty times as much
LONGEST_NAME = 4096
MOST_CELLS = 1 << 22  # of one per-layer table; larger tables are thinned to this

Row = tuple[int, int, bytes]  # step, layer set, values


def load(path: str | Path) -> Run:
    """Read a run record. Raises `RecordError`, with one line that says why, if that is not possible."""
    path = Path(path)
    with RecordFile(path) as file:
        return Run(str(path), "observed", _Reading(file).store())


class _Reading:
    """Checks every row as it reads it, so that a `Run` is always well-formed, whatever the file holds."""

    def __init__(self, file: RecordFile) -> None:
        self._file = file
        self._json_room = MOST_JSON

    def store(self) -> MemoryStore:
        store = MemoryStore()
        store.fact_values = self._facts()
        store.series_values = self._series()
        store.tables = self._tables()
        store.event_list = self._events()
        return store

    def _facts(self) -> dict[str, Any]:
        rows = self._file.rows("SELECT key, value FROM facts")
        return known_kinds({self._name(key): self._json(value) for key, value in rows})

    def _series(self) -> dict[str, Series]:
        names = {
            self._number(number): self._name(name)
            for number, name in self._file.rows("SELECT id, name FROM series ORDER BY id")
        }
        parts: dict[int, list[tuple[bytes, bytes]]] = {number: [] for number in names}
        for number, steps, values in self._file.rows(
            'SELECT series, steps, "values" FROM points ORDER BY series, chunk'
        ):
            if not isinstance(steps, bytes) or not isinstance(values, bytes) or len(steps) != len(values):
                raise self._file.damaged("steps without values")
            if len(steps) % 8:
                raise self._file.damaged("an incomplete number")
            if number in parts:  # ignore points of a series without a name
                parts[number].append((steps, values))
        found = {}
        for number, name in names.items():
            steps = np.frombuffer(b"".join(part[0] for part in parts[number]), dtype="<i8").astype(np.int64)
            values = np.frombuffer(b"".join(part[1] for part in parts[number]), dtype="<f8").astype(np.float64)
            if len(steps):
                found[name] = Series(name, self._steps(steps), in_range(name, values))
        return found

    def _tables(self) -> dict[str, LayerTable]:
        sets = {
            self._number(number): self._names(names)
            for number, names in self._file.rows("SELECT id, names FROM layer_sets")
        }
        rows: defaultdict[str, list[Row]] = defaultdict(list)
        for quantity, step, number, values in self._file.rows(
            'SELECT quantity, step, set_id, "values" FROM layers ORDER BY quantity, step'
        ):
            names = sets.get(number) if isinstance(number, int) else None
            if names is None or not isinstance(values, bytes) or len(values) != 4 * len(names):
                raise self._file.damaged("values of unknown layers")
            rows[self._name(quantity)].append((self._number(step), number, values))
        return {quantity: self._table(quantity, found, sets) for quantity, found in rows.items()}

    def _table(self, quantity: str, rows: list[Row], sets: dict[int, tuple[str, ...]]) -> LayerTable:
        steps, columns = _extent(rows, sets)
        while len(steps) * len(columns) > MOST_CELLS and len(steps) > 1:
            kept = set(steps[::2])
            rows = [row for row in rows if row[0] in kept]
            steps, columns = _extent(rows, sets)
        if len(columns) > MOST_CELLS:
            raise self._file.damaged("more layers than a model can have")
        row_of = {step: i for i, step in enumerate(steps)}
        places = {number: [columns[name] for name in sets[number]] for number in {row[1] for row in rows}}
        values = np.full((len(steps), len(columns)), np.nan)
        for step, number, blob in rows:
            values[row_of[step], places[number]] = np.frombuffer(blob, dtype="<f4")
        return LayerTable(
            quantity, self._steps(np.asarray(steps, np.int64)), tuple(columns), in_range(quantity, values)
        )

    def _events(self) -> list[Event]:
        found = []
        for kind, step, data, moment in self._file.rows("SELECT kind, step, data, time FROM events ORDER BY id"):
            content = self._json(data)
            if not isinstance(content, dict):
                raise self._file.damaged("an event without data")
            at = None if step is None else int(self._steps(np.asarray([self._number(step)], np.int64))[0])
            found.append(Event(self._name(kind), at, content, moment if isinstance(moment, float) else None))
        return found

    def _steps(self, steps: IntArray) -> IntArray:
        if len(steps) and not (steps.min() >= 0 and steps.max() < LARGEST_STEP):
            raise self._file.damaged("impossible step numbers")
        return steps

    def _number(self, value: Any) -> int:
        if not isinstance(value, int):
            raise self._file.damaged("text instead of a number")
        return value

    def _name(self, value: Any) -> str:
        if not isinstance(value, str) or len(value) > LONGEST_NAME:
            raise self._file.damaged("a value that is not a name")
        return value

    def _names(self, text: Any) -> tuple[str, ...]:
        names = self._json(text)
        if not isinstance(names, list):
            raise self._file.damaged("a value that is not a list of layer names")
        return tuple(map(self._name, names))

    def _json(self, text: Any) -> Any:
        self._json_room -= len(text) if isinstance(text, (str, bytes)) else 0
        if self._json_room < 0:
            raise self._file.damaged(f"more than {MOST_JSON >> 20} MB of JSON")
        try:
            if not isinstance(text, str):
                raise ValueError
            return json.loads(text, parse_int=_whole)
        except (ValueError, RecursionError):
            raise self._file.damaged("unreadable JSON") from None


def _extent(rows: Iterable[Row], sets: dict[int, tuple[str, ...]]) -> tuple[list[int], dict[str, int]]:
    """Return the steps, and the index of each layer's column."""
    used = sorted({number for _, number, _ in rows})
    names = dict.fromkeys(name for number in used for name in sets[number])
    return sorted({step for step, _, _ in rows}), {name: i for i, name in enumerate(names)}


def _whole(digits: str) -> int | float:
    """Parse an integer. One that is too large for numpy becomes a float, as in JavaScript."""
    return int(digits) if len(digits) < 19 else float(digits)
