"""Writes a `.tdx` file in batches, on the thread that asks for it: a thread of our own would be seen by the script.

Only the standard library is imported here. The observed script may set environment variables that numpy or torch read
at import, so neither may be imported before the script does it.
"""

from __future__ import annotations

import importlib.util
import os
import sqlite3
import sys
import time
from _thread import allocate_lock
from array import array
from bisect import bisect_left, insort
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from . import schema
from .ending import low_numbers_taken
from .errors import RecordError
from .vocabulary import short_name

# A run that is killed loses what came after the last write: at most `LAG_SECONDS` of training are promised, and writing
# twice as often leaves room for the steps between two looks at the clock.
LAG_SECONDS = 0.2
FLUSH_SECONDS = LAG_SECONDS / 2
SLOW_SHARE = 0.05  # of the time, at most, for writing to a slow disk, even if that breaks the promise
CHUNK_POINTS = 1024
LEFT = "written by another process"
# Pages in the write-ahead log before they are moved to the file, which waits for the disk: some tens of seconds apart.
LOG_PAGES = 4096

_now = time.perf_counter  # the script may replace it


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
    """Collects data in memory and writes it some times a second. After it has been created it never raises.

    `before_flush` is called just before each write. The observer uses it to copy values out of tensors; this is the
    only moment when a device is synchronised. Different threads may call this object.
    """

    def __init__(self, path: Path, before_flush: Callable[[], None] | None = None) -> None:
        self.path = path
        self.lost: str | None = None
        self.last_step = 0
        self._before_flush = before_flush
        self._lock = allocate_lock()
        self._flushing = allocate_lock()
        self.due = 0.0  # when the next write is due
        self._took = 0.0  # seconds that the last write took
        self._batch = _Batch()
        self._tails: dict[str, _Tail] = {}
        self._sets: dict[tuple[str, ...], int] = {}
        self._ledger = DeepSampleLedger()
        self._connection = _create(path)

    # ── called by the observer ──────────────────────────────────────────────────────────────────

    def fact(self, key: str, value: Any) -> None:
        text = _encode(value)
        with self._lock:
            self._batch.facts[key] = text

    def point(self, name: str, step: int, value: float) -> None:
        self.points(name, (step,), (value,))

    def points(self, name: str, steps: Sequence[int], values: Sequence[float]) -> None:
        name = short_name(name)
        with self._lock:
            self._batch.add_points(name, steps, values)
            if len(steps):
                self.last_step = max(self.last_step, int(steps[-1]))

    def rename(self, old: str, new: str) -> None:
        """Give a series its final name, once that is known. Does nothing if `new` is taken."""
        old, new = short_name(old), short_name(new)
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
                self._batch.sets.append((set_id, _encode([*map(short_name, key)])))
            self._batch.rows.append((quantity, step, set_id, blob))
            self._ledger.sampled(step)

    def event(self, kind: str, step: int | None, **data: Any) -> None:
        text = _encode(data)
        with self._lock:
            self._batch.events.append((step, kind, time.time(), text))
            if step is not None:
                self._ledger.event(step)

    # ── writing ─────────────────────────────────────────────────────────────────────────────────

    def flush_if_due(self) -> None:
        if _now() >= self.due:
            self.flush()

    def flush(self) -> None:
        """Write the collected data. An error ends the recording, not the training."""
        with self._flushing:
            began = _now()
            self.due = began + FLUSH_SECONDS
            if self._before_flush is not None:
                self._before_flush()
            with self._lock:
                batch, self._batch = self._batch, _Batch()
                surplus = self._ledger.surplus()
            if self.lost is not None or not batch:
                return
            try:
                self._write(batch, surplus)
            except (sqlite3.Error, OSError) as error:
                self._give_up(error)
            except BaseException:  # Ctrl-C, or what a signal handler of the script raises
                if not batch.written:
                    with self._lock:
                        self._batch = batch.followed_by(self._batch)
                raise
            # One slow write says little: the system may have given the processor to somebody else meanwhile.
            ended = _now()
            took, self._took = self._took, ended - began
            self.due = max(self.due, ended + min(took, self._took) / SLOW_SHARE)

    def _write(self, batch: _Batch, surplus: Sequence[int]) -> None:
        db = self._connection
        longer: dict[str, _Tail] = {}
        # All of this may be written twice, where it was interrupted.
        with db:
            db.executemany("INSERT OR REPLACE INTO facts VALUES (?, ?)", batch.facts.items())
            for name, (steps, values) in batch.points.items():
                tail = self._tails.get(name)
                if tail is None:
                    tail = _Tail(len(self._tails.keys() | longer.keys()))
                    db.execute("INSERT OR REPLACE INTO series VALUES (?, ?)", (tail.series, name))
                rows, longer[name] = tail.extended(steps, values)
                db.executemany("INSERT OR REPLACE INTO points VALUES (?, ?, ?, ?)", rows)
            db.executemany("INSERT OR REPLACE INTO layer_sets VALUES (?, ?)", batch.sets)
            db.executemany("INSERT OR REPLACE INTO layers VALUES (?, ?, ?, ?)", batch.rows)
            db.executemany("INSERT INTO events (step, kind, time, data) VALUES (?, ?, ?, ?)", batch.events)
            db.executemany("DELETE FROM layers WHERE step = ?", [(step,) for step in surplus])
        self._tails.update(longer)
        batch.written = True

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
        self._before_flush = None
        self._lock = allocate_lock()  # threads of the parent may have held the old locks during the fork
        self._flushing = allocate_lock()
        self.lost = LEFT

    def give_away(self) -> None:
        """Stop, and leave the name of the file to another process."""
        self.abandon()
        self._connection.close()
        for suffix in ("", "-wal", "-shm"):
            self.path.with_name(self.path.name + suffix).unlink(missing_ok=True)

    def close(self) -> None:
        """Write the rest and leave a single file, without a -wal file beside it."""
        if self.lost == LEFT:
            return
        self.flush()
        try:
            self._connection.execute("PRAGMA busy_timeout=200")  # a reader of the record must not delay the end
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            self._connection.execute("PRAGMA journal_mode=DELETE")
        except sqlite3.Error:
            pass  # another process is reading: the -wal file stays, and is part of the record
        finally:
            self._connection.close()


class _Batch:
    """What is collected for one write."""

    def __init__(self) -> None:
        self.facts: dict[str, str] = {}
        self.points: dict[str, tuple[array[int], array[float]]] = {}
        self.rows: list[tuple[str, int, int, bytes]] = []
        self.events: list[tuple[int | None, str, float, str]] = []
        self.sets: list[tuple[int, str]] = []
        self.written = False

    def __bool__(self) -> bool:
        return bool(self.facts or self.points or self.rows or self.events)

    def add_points(self, name: str, steps: Sequence[int], values: Sequence[float]) -> None:
        pending = self.points.get(name)
        if pending is None:
            pending = self.points[name] = (array("q"), array("d"))
        pending[0].extend(steps)
        pending[1].extend(values)

    def followed_by(self, later: _Batch) -> _Batch:
        self.facts.update(later.facts)
        for name, (steps, values) in later.points.items():
            self.add_points(name, steps, values)
        self.rows += later.rows
        self.events += later.events
        self.sets += later.sets
        return self


class _Tail:
    """The last chunk of one series, which still grows."""

    def __init__(
        self, series: int, chunk: int = 0, steps: array[int] | None = None, values: array[float] | None = None
    ) -> None:
        self.series = series
        self.chunk = chunk
        self.steps: array[int] = array("q") if steps is None else steps
        self.values: array[float] = array("d") if values is None else values

    def extended(self, steps: array[int], values: array[float]) -> tuple[list[tuple[int, int, bytes, bytes]], _Tail]:
        """The rows of chunks to be written now that there are these points too, and the tail that follows this one."""
        longer = _Tail(self.series, self.chunk, self.steps + steps, self.values + values)
        rows = []
        while len(longer.steps) >= CHUNK_POINTS:
            rows.append(longer._row(longer.steps[:CHUNK_POINTS], longer.values[:CHUNK_POINTS]))
            del longer.steps[:CHUNK_POINTS], longer.values[:CHUNK_POINTS]
            longer.chunk += 1
        if longer.steps:
            rows.append(longer._row(longer.steps, longer.values))
        return rows, longer

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
        with low_numbers_taken():
            return _connected(path)
    except (sqlite3.Error, OSError) as error:
        raise RecordError(f"cannot write {path} ({_reason(error, path)})") from None


def _connected(path: Path) -> sqlite3.Connection:
    # Autocommit is off by default: every flush is one transaction. One thread at a time uses the connection (under the
    # flushing lock), but not always the thread that made it.
    connection = sqlite3.connect(path, timeout=5.0, check_same_thread=False)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=NORMAL")  # a killed process loses nothing that was written
    connection.execute(f"PRAGMA wal_autocheckpoint={LOG_PAGES}")
    connection.execute(f"PRAGMA application_id={schema.APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version={schema.VERSION}")
    connection.executescript(schema.TABLES)
    return connection


def _reason(error: Exception, path: Path) -> str:
    if isinstance(error, OSError) and error.strerror:
        return error.strerror.lower()
    if not os.access(path.parent, os.W_OK):
        return "the folder is not writable"
    return str(error)


LIMIT = 2000
KEEP_FIRST = 64
KEEP_AROUND_EVENT = 20  # samples on either side of an event
MAX_EVENTS = 200  # further events are so frequent that they protect no samples


class DeepSampleLedger:
    """Chooses which deep samples to delete when a run gets long.

    Every deep sample is kept until there are more than `LIMIT`. Then every second one of the older half is deleted,
    except the first ones and those near an event. The rest is dense at the start, around events and at the end, and the
    file of a run of any length stays small.
    """

    def __init__(self) -> None:
        self._steps: list[int] = []
        self._events: list[int] = []

    def sampled(self, step: int) -> None:
        if not self._steps or step > self._steps[-1]:
            self._steps.append(step)
        else:
            at = bisect_left(self._steps, step)
            if self._steps[at] != step:
                insort(self._steps, step)

    def event(self, step: int) -> None:
        if len(self._events) < MAX_EVENTS:
            self._events.append(step)

    def surplus(self) -> list[int]:
        """Return the steps whose samples are to be deleted now; none as long as the limit is not exceeded."""
        if len(self._steps) <= LIMIT:
            return []
        protected = self._protected()
        half = len(self._steps) // 2
        old = [step for i, step in enumerate(self._steps[:half]) if i >= KEEP_FIRST and step not in protected]
        gone = set(old[1::2])
        self._steps = [step for step in self._steps if step not in gone]
        return sorted(gone)

    def _protected(self) -> set[int]:
        keep: set[int] = set()
        for step in self._events:
            at = bisect_left(self._steps, step)
            keep.update(self._steps[max(0, at - KEEP_AROUND_EVENT) : at + KEEP_AROUND_EVENT + 1])
        return keep
