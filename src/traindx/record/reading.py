"""Reads a `.tdx` file in its present state, even while another process writes it; writes a run from memory to one."""

from __future__ import annotations

import json
import sqlite3
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np

from . import schema
from .errors import RecordError
from .facts import known_kinds
from .run import Data, Run
from .types import Event, IntArray, LayerTable, Series
from .vocabulary import LONGEST_NAME, in_range
from .writer import RecordWriter

# ── opening a file, and trusting nothing in it ────────────────────────────────────────────────────
#
# A record may come from a stranger. It is opened read-only, and its schema must be exactly that of traindx: without
# views, triggers, virtual tables or other columns, a query can run nothing but a scan. Every query is limited in time
# and in the bytes that it returns.

LARGEST_FILE = 2 << 30
LONGEST_VALUE = 64 << 20  # bytes of one text or blob
MOST_SECONDS = 60.0  # for all queries together; a record of 200 MB takes one second
INSTRUCTIONS = 20_000  # of SQLite's virtual machine between two checks of the time


class RecordFile:
    """One read-only connection. Every error is a `RecordError` that names the file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._room = _size(path)  # bytes left to read: SQLite does not compress, so rows hold no more than the file
        self._until = time.monotonic() + MOST_SECONDS
        self._connection = self._connect()
        try:
            self._check_schema()
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> RecordFile:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._connection.close()

    def damaged(self, what: object) -> RecordError:
        """Return an error. Its reason may contain text of the file, so it is cut to one printable line."""
        plain = "".join(char if char.isprintable() else "?" for char in str(what))
        return RecordError(f"{self.path} is damaged ({plain[:120]})")

    def rows(self, sql: str) -> Iterator[tuple[Any, ...]]:
        """Yield the rows of a query. Raises `RecordError` when they hold more bytes than the file."""
        try:
            for row in self._connection.execute(sql):
                self._room -= sum(len(value) if isinstance(value, (str, bytes)) else 1 for value in row)
                if self._room < 0:
                    raise self.damaged("it refers to the same pages again and again")
                yield row
        except (sqlite3.Error, UnicodeError, OverflowError, MemoryError) as error:
            raise self.damaged(self._slow() or error) from None

    def _slow(self) -> str | None:
        """Return the reason to show instead of SQLite's "interrupted" if the time is over."""
        over = time.monotonic() > self._until
        return f"reading it takes more than {MOST_SECONDS:.0f} seconds" if over else None

    def _connect(self) -> sqlite3.Connection:
        # The second form can open a record whose -wal file cannot be opened, for example on a read-only disk.
        for options in ("mode=ro", "mode=ro&immutable=1"):
            uri = f"file:{quote(str(self.path.absolute()))}?{options}"
            connection: sqlite3.Connection | None = None
            try:
                connection = sqlite3.connect(uri, uri=True, timeout=5.0, isolation_level=None)
                self._restrict(connection)
                connection.execute("BEGIN")  # one snapshot, even if another process writes meanwhile
                self._check_header(connection)
                return connection
            except (sqlite3.DatabaseError, RecordError) as error:
                if connection is not None:
                    connection.close()
                if isinstance(error, RecordError):
                    raise
                if not isinstance(error, sqlite3.OperationalError):
                    kind = "damaged or cut off" if "malformed" in str(error) else "not a traindx record"
                    raise RecordError(f"{self.path} is {kind} ({error})") from None
                reason = error
        raise RecordError(f"{self.path} cannot be opened ({self._slow() or reason})")

    def _restrict(self, connection: sqlite3.Connection) -> None:
        until = self._until
        connection.set_progress_handler(lambda: time.monotonic() > until, INSTRUCTIONS)
        if hasattr(connection, "setlimit"):  # since Python 3.11; before, only the size of the file limits a value
            for name, most in (("LENGTH", LONGEST_VALUE), ("ATTACHED", 0), ("TRIGGER_DEPTH", 0)):
                connection.setlimit(getattr(sqlite3, f"SQLITE_LIMIT_{name}"), most)
        for pragma in ("query_only=ON", "trusted_schema=OFF", "cell_size_check=ON", "mmap_size=0"):
            connection.execute(f"PRAGMA {pragma}")

    def _check_header(self, connection: sqlite3.Connection) -> None:
        application = connection.execute("PRAGMA application_id").fetchone()[0]
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        if application != schema.APPLICATION_ID:
            if not self.path.stat().st_size:  # SQLite takes an empty file for an empty database
                raise RecordError(f"{self.path} is empty")
            raise RecordError(f"{self.path} is not a traindx record (another program's database)")
        if version > schema.VERSION:
            raise RecordError(
                f"{self.path} was written by a newer traindx (record version {version}, this one reads "
                f"{schema.VERSION}): upgrade traindx to open it"
            )

    def _check_schema(self) -> None:
        found = frozenset(self.rows(_SCHEMA))
        if found != _expected():
            odd = sorted(f"{row[0]} {str(row[1])[:40]!r}" for row in found - _expected())
            raise self.damaged(f"a record has no {odd[0]}" if odd else "a table is missing")


_SCHEMA = "SELECT type, name, tbl_name, sql FROM sqlite_master"


@cache
def _expected() -> frozenset[tuple[Any, ...]]:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(schema.TABLES)
        return frozenset(connection.execute(_SCHEMA))


def _size(path: Path) -> int:
    """Return the size of the record with its write-ahead log, in bytes."""
    try:
        if path.is_dir():
            raise RecordError(f"{path} is a folder, not a run record")
        if not path.exists():
            raise RecordError(f"{path} does not exist")
        if not path.is_file():
            raise RecordError(f"{path} is not a regular file")
        log = path.with_name(path.name + "-wal")
        size = path.stat().st_size + (log.stat().st_size if log.is_file() else 0)
    except (OSError, ValueError) as error:
        raise RecordError(f"{path} cannot be opened ({error})") from None
    if size > LARGEST_FILE:
        raise RecordError(
            f"{path} has {size / 2**30:.1f} GiB; records of more than {LARGEST_FILE >> 30} GiB are not read"
        )
    return size


LARGEST_STEP = 1 << 53  # larger steps are not exact as floats
MOST_JSON = 32 << 20  # bytes of JSON in a record; Python objects may need thirty times as much
MOST_CELLS = 1 << 22  # of one per-layer table; larger tables are thinned to this

Row = tuple[int, int, bytes]  # step, layer set, values


def load(path: str | Path) -> Run:
    """Read a run record. Raises `RecordError`, with one line that says why, if that is not possible."""
    path = Path(path)
    with RecordFile(path) as file:
        data = _Reading(file).data()
    if "recorder" not in data.facts:
        return Run(str(path), "observed", data)
    # A look downstream: names that a script logged mean here what they mean in any log.
    from ..readers.meaning.recorded import with_meaning

    return with_meaning(Run(str(path), "recorded", data))


class _Reading:
    """Checks every row as it reads it, so that a `Run` is always well-formed, whatever the file holds."""

    def __init__(self, file: RecordFile) -> None:
        self._file = file
        self._json_room = MOST_JSON

    def data(self) -> Data:
        return Data(self._facts(), self._series(), self._tables(), self._events())

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
            steps = np.frombuffer(b"".join(part[0] for part in parts[number]), dtype="<i8").astype(np.int64, copy=False)
            values = np.frombuffer(b"".join(part[1] for part in parts[number]), dtype="<f8").astype(
                np.float64, copy=False
            )
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


# ── writing a run, and adding facts to a file that no process writes any more ─────────────────────


def save(run: Run, path: Path) -> None:
    """Write the run. Raises `RecordError` if the file cannot be created."""
    writer = RecordWriter(path)
    for key, value in run.facts.items():
        writer.fact(key, value)
    for name in run.series_names:
        series = run.series(name)
        writer.points(name, series.steps.tolist(), series.values.tolist())
    for quantity in run.quantities:
        table = run.layers(quantity)
        for step, row in zip(table.steps.tolist(), table.values.tolist(), strict=True):
            writer.layers(quantity, step, table.layers, row)
    for event in run.events:
        writer.event(event.kind, event.step, **event.data)
    writer.close()


def add_facts(path: Path, facts: Mapping[str, Any]) -> None:
    """Write these facts into a finished record. Raises `sqlite3.Error` if that is not possible."""
    with closing(sqlite3.connect(path)) as connection, connection:
        rows = [(key, json.dumps(value, default=str)) for key, value in facts.items()]
        connection.executemany("INSERT OR REPLACE INTO facts VALUES (?, ?)", rows)
