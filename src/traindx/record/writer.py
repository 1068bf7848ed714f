"""Writes a `.tdx` file in batches, in its own thread, so that it does not disturb the training.

Only the standard library is imported here. The observed script may set environment variables that numpy or torch read
at import, so neither may be imported before the script does it.
"""

from __future__ import annotations

import importlib.util
import os
import sqlite3
import sys
import threading
import time
from array import array
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from . import schema
from .errors import RecordError
from .thinning import DeepSampleLedger

# A run that is killed loses what came after the last write: about one second, with the time that a write takes.
FLUSH_SECONDS = 0.8
CHUNK_POINTS = 1024


def _private_encoder() -> Callable[[Any], str]:
    """Return an encoder from a private copy of the json module, which the script cannot change."""
    spec = importlib.util.find_spec("json.encoder")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    encode: Callable[[Any], str] = module.JSONEncoder(default=str).encode
    return encode


_encode = _private_encoder()


class RecordWriter:
    """Collects data in memory and writes it about once a second. After it has been created it never raises.

    The writing thread calls `before_flush` just before each write. The observer uses it to copy values out of tensors;
    this is the only moment when a device is synchronised.
    """

    def __init__(self, path: Path, before_flush: Callable[[], None] | None = None) -> None:
        self.path = path
        self.lost: str | None = None
        self.last_step = 0
        self._before_flush = before_flush
        self._lock = threading.Lock()
        self._flushing = threading.Lock()
        self._stop = threading.Event()
        self._facts: dict[str, str] = {}
        self._points: dict[str, tuple[array[int], array[float]]] = {}
        self._rows: list[tuple[str, int, int, bytes]] = []
        self._events: list[tuple[int | None, str, float, str]] = []
        self._tails: dict[str, _Tail] = {}
        self._sets: dict[tuple[str, ...], int] = {}
        self._new_sets: list[tuple[int, str]] = []
        self._ledger = DeepSampleLedger()
        self._connection = _create(path)
        self._thread = threading.Thread(target=self._loop, name="traindx-writer", daemon=True)
        self._thread.start()

    # ── called by the observer ──────────────────────────────────────────────────────────────────

    def fact(self, key: str, value: Any) -> None:
        text = _encode(value)
        with self._lock:
            self._facts[key] = text

    def point(self, name: str, step: int, value: float) -> None:
        self.points(name, (step,), (value,))

    def points(self, name: str, steps: Sequence[int], values: Sequence[float]) -> None:
        with self._lock:
            pending = self._points.get(name)
            if pending is None:
                pending = self._points[name] = (array("q"), array("d"))
            pending[0].extend(steps)
            pending[1].extend(values)
            if len(steps):
                self.last_step = max(self.last_step, int(steps[-1]))

    def rename(self, old: str, new: str) -> None:
        """Give a series its final name, once that is known. Does nothing if `new` is taken."""
        self.flush()
        with self._flushing:
            if self.lost is None and old in self._tails and new not in self._tails:
                self._tails[new] = self._tails.pop(old)
                with self._connection:
                    self._connection.execute("UPDATE series SET name = ? WHERE name = ?", (new, old))

    def layers(self, quantity: str, step: int, names: Sequence[str], values: Sequence[float]) -> None:
        key = tuple(names)
        blob = _little_endian(array("f", values))
        with self._lock:
            set_id = self._sets.get(key)
            if set_id is None:
                set_id = self._sets[key] = len(self._sets)
                self._new_sets.append((set_id, _encode(key)))
            self._rows.append((quantity, step, set_id, blob))
            self._ledger.sampled(step)

    def event(self, kind: str, step: int | None, **data: Any) -> None:
        text = _encode(data)
        with self._lock:
            self._events.append((step, kind, time.time(), text))
            if step is not None:
                self._ledger.event(step)

    # ── the writing thread ──────────────────────────────────────────────────────────────────────

    def _loop(self) -> None:
        while not self._stop.wait(FLUSH_SECONDS):
            self.flush()

    def flush(self) -> None:
        """Write the collected data. An error ends the recording, not the training."""
        with self._flushing:
            if self._before_flush is not None:
                self._before_flush()
            with self._lock:
                facts, self._facts = self._facts, {}
                points, self._points = self._points, {}
                rows, self._rows = self._rows, []
                events, self._events = self._events, []
                new_sets, self._new_sets = self._new_sets, []
                surplus = self._ledger.surplus()
            if self.lost is not None or not (facts or points or rows or events):
                return
            try:
                self._write(facts, points, rows, events, new_sets, surplus)
            except (sqlite3.Error, OSError) as error:
                self._give_up(error)

    def _write(
        self,
        facts: dict[str, str],
        points: dict[str, tuple[array[int], array[float]]],
        rows: list[tuple[str, int, int, bytes]],
        events: list[tuple[int | None, str, float, str]],
        new_sets: list[tuple[int, str]],
        surplus: Sequence[int],
    ) -> None:
        db = self._connection
        with db:
            db.executemany("INSERT OR REPLACE INTO facts VALUES (?, ?)", facts.items())
            for name, (steps, values) in points.items():
                tail = self._tails.get(name)
                if tail is None:
                    tail = self._tails[name] = _Tail(len(self._tails))
                    db.execute("INSERT INTO series VALUES (?, ?)", (tail.series, name))
                db.executemany("INSERT OR REPLACE INTO points VALUES (?, ?, ?, ?)", tail.extend(steps, values))
            db.executemany("INSERT INTO layer_sets VALUES (?, ?)", new_sets)
            db.executemany("INSERT OR REPLACE INTO layers VALUES (?, ?, ?, ?)", rows)
            db.executemany("INSERT INTO events (step, kind, time, data) VALUES (?, ?, ?, ?)", events)
            db.executemany("DELETE FROM layers WHERE step = ?", [(step,) for step in surplus])

    def _give_up(self, error: Exception) -> None:
        self.lost = f"{self.path}: {error}"
        with suppress(Exception):  # the script may have closed or replaced stderr
            print(
                f"traindx: cannot write {self.path} ({error}); everything after step {self.last_step} is lost, "
                "the training continues",
                file=sys.stderr,
            )

    def abandon(self) -> None:
        """Stop without touching the file: for a forked child, whose parent continues to write."""
        self._stop.set()
        self._before_flush = None
        self._lock = threading.Lock()  # threads of the parent may have held the old locks during the fork
        self._flushing = threading.Lock()
        self.lost = "forked child"

    def close(self) -> None:
        """Write the rest and leave a single file, without a -wal file beside it."""
        if self.lost == "forked child":
            return
        self._stop.set()
        self._thread.join(timeout=30.0)
        self.flush()
        try:
            self._connection.execute("PRAGMA busy_timeout=200")  # a reader of the record must not delay the end
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            self._connection.execute("PRAGMA journal_mode=DELETE")
        except sqlite3.Error:
            pass  # another process is reading: the -wal file stays, and is part of the record
        finally:
            self._connection.close()


class _Tail:
    """The last chunk of one series, which still grows."""

    def __init__(self, series: int) -> None:
        self.series = series
        self.chunk = 0
        self.steps: array[int] = array("q")
        self.values: array[float] = array("d")

    def extend(self, steps: array[int], values: array[float]) -> list[tuple[int, int, bytes, bytes]]:
        """Add new points, and return the rows of chunks that must be written now."""
        self.steps.extend(steps)
        self.values.extend(values)
        rows = []
        while len(self.steps) >= CHUNK_POINTS:
            rows.append(self._row(self.steps[:CHUNK_POINTS], self.values[:CHUNK_POINTS]))
            del self.steps[:CHUNK_POINTS], self.values[:CHUNK_POINTS]
            self.chunk += 1
        if self.steps:
            rows.append(self._row(self.steps, self.values))
        return rows

    def _row(self, steps: array[int], values: array[float]) -> tuple[int, int, bytes, bytes]:
        return (self.series, self.chunk, _little_endian(steps), _little_endian(values))


def _little_endian(numbers: array[Any]) -> bytes:
    if sys.byteorder == "big":
        numbers = array(numbers.typecode, numbers)
        numbers.byteswap()
    return numbers.tobytes()


def _create(path: Path) -> sqlite3.Connection:
    if path.exists():
        raise RecordError(f"{path} exists already")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        # Only the owner may read it: a record says much about a program. SQLite gives its -wal file the same mode.
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        # Autocommit is off by default: every flush is one transaction. One thread at a time uses the connection
        # (under the flushing lock), but not always the thread that made it.
        connection = sqlite3.connect(path, timeout=5.0, check_same_thread=False)
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=FULL")
        connection.execute(f"PRAGMA application_id={schema.APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version={schema.VERSION}")
        connection.executescript(schema.TABLES)
    except (sqlite3.Error, OSError) as error:
        raise RecordError(f"cannot write {path} ({_reason(error, path)})") from None
    return connection


def _reason(error: Exception, path: Path) -> str:
    if isinstance(error, OSError) and error.strerror:
        return error.strerror.lower()
    if not os.access(path.parent, os.W_OK):
        return "the folder is not writable"
    return str(error)
