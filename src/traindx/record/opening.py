"""Opens a `.tdx` file for reading, and trusts nothing in it.

A record may come from a stranger. It is opened read-only, and its schema must be exactly that of traindx: without
views, triggers, virtual tables or other columns, a query can run nothing but a scan. Every query is limited in time and
in the bytes that it returns.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

from . import schema
from .errors import RecordError

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
