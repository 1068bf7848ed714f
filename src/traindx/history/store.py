"""The file of solved cases: one SQLite database that only this user can read.

SQLite's locks let several processes write to it. It has a rollback journal and no write-ahead log, because home folders
may be on network disks. Reading never creates the file.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

from ..paths import data_folder
from ..record.errors import RecordError
from .case import Case

APPLICATION_ID = 0x54445848  # "TDXH"
VERSION = 1
MOST_CASES = 1000  # older ones are deleted
WAIT = 10.0  # seconds for another writer
TABLES = """
CREATE TABLE IF NOT EXISTS cases (
    id INTEGER PRIMARY KEY AUTOINCREMENT, script TEXT NOT NULL, cause TEXT NOT NULL, fix TEXT NOT NULL,
    data TEXT NOT NULL
);
"""


class HistoryError(RecordError):
    """The history cannot be read or written. The message is one line that says why."""


def remember(case: Case, path: Path | None = None) -> int:
    """Store a solved case and return its number. Raises HistoryError if the file cannot be written."""
    return History(path).add(case)


class History:
    """The solved cases in one file, by default history.sqlite in the data folder."""

    def __init__(self, path: Path | None = None) -> None:
        self.path = path or data_folder() / "history.sqlite"

    def add(self, case: Case) -> int:
        """Store the case, masked, and return its number. It replaces an older one of the same script, cause and fix."""
        kept = case.masked()
        same = (kept.script, kept.cause, kept.fix)
        with self._writing() as connection:
            connection.execute("DELETE FROM cases WHERE script = ? AND cause = ? AND fix = ?", same)
            added = connection.execute(
                "INSERT INTO cases (script, cause, fix, data) VALUES (?, ?, ?, ?)",
                (*same, json.dumps(kept.as_object())),
            ).lastrowid
            connection.execute(
                "DELETE FROM cases WHERE id NOT IN (SELECT id FROM cases ORDER BY id DESC LIMIT ?)", (MOST_CASES,)
            )
        assert added is not None  # it is None only if nothing was inserted
        return added

    def cases(self) -> list[Case]:
        """Return all cases, newest first. Rows that cannot be read are left out."""
        if not self.path.exists() or not self.path.stat().st_size:  # a crash may have left an empty file
            return []
        with self._reading() as connection:
            rows = connection.execute("SELECT id, data FROM cases ORDER BY id DESC LIMIT ?", (MOST_CASES,)).fetchall()
        return [case for number, data in rows if (case := _read(number, data)) is not None]

    def search(self, words: Sequence[str]) -> list[Case]:
        """Return the cases that contain every word, for example in the cause, the fix, the script or a raised sign."""
        return [case for case in self.cases() if all(word.lower() in _words_of(case) for word in words)]

    def delete(self, numbers: Sequence[int] | None = None) -> int:
        """Delete these cases, or all of them, and return how many. Their bytes are overwritten."""
        if not self.path.exists():
            return 0
        with self._writing() as connection:
            if numbers is None:
                return connection.execute("DELETE FROM cases").rowcount
            marks = ", ".join("?" * len(numbers))
            return connection.execute(f"DELETE FROM cases WHERE id IN ({marks})", tuple(numbers)).rowcount

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        try:
            uri = f"{self.path.absolute().as_uri()}?mode=ro"
            with closing(sqlite3.connect(uri, uri=True, timeout=WAIT)) as connection:
                connection.execute("PRAGMA query_only=ON")
                connection.execute("PRAGMA trusted_schema=OFF")
                self._check(connection)
                yield connection
        except sqlite3.Error as error:
            raise HistoryError(f"the history {self.path} cannot be read ({error})") from None

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """Run one transaction: all of it is stored, or nothing."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            # SQLite would create the file readable by others; it gives its journal the mode of the file.
            os.close(os.open(self.path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600))
            with closing(sqlite3.connect(self.path, timeout=WAIT, isolation_level=None)) as connection:
                connection.execute("PRAGMA trusted_schema=OFF")
                connection.execute("PRAGMA secure_delete=ON")
                connection.execute("BEGIN IMMEDIATE")
                self._prepare(connection)
                yield connection
                connection.execute("COMMIT")
        except (OSError, sqlite3.Error) as error:
            raise HistoryError(f"the history {self.path} cannot be written ({error})") from None

    def _prepare(self, connection: sqlite3.Connection) -> None:
        """Create the tables of a new file. An existing file must be a history."""
        if connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] == 0:
            connection.execute(TABLES)
            connection.execute(f"PRAGMA application_id={APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version={VERSION}")
        self._check(connection)

    def _check(self, connection: sqlite3.Connection) -> None:
        application, version = (
            connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version")
        )
        if application != APPLICATION_ID:
            raise HistoryError(f"{self.path} is not a history of traindx: move it elsewhere")
        if version > VERSION:
            raise HistoryError(
                f"{self.path} was written by a newer traindx (history version {version}, this one knows {VERSION}): "
                "upgrade traindx to use it"
            )


def _read(number: int, data: object) -> Case | None:
    try:
        return Case.of(json.loads(str(data)), number)
    except (ValueError, RecursionError):
        return None


def _words_of(case: Case) -> str:
    raised = [sign for sign, level in case.signature.items() if level >= 0.5]
    parts = (case.script, case.cause, case.intervention, case.verdict, case.fix, case.date, *raised)
    return " ".join(parts).lower()
