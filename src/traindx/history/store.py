"""The file of solved cases: one SQLite database that only this user can read.

SQLite's locks let several processes write to it. It has a rollback journal and no write-ahead log, because home folders
may be on network disks. Reading never creates the file.
"""

from __future__ import annotations

import json
import math
import os
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from .. import __version__
from ..observe.secrets import masked_text
from ..paths import data_folder
from ..record.errors import RecordError
from ..record.redacting import base_name
from ..wording import num4

LONGEST_TEXT = 1000
LONGEST_PATCH = 20_000  # characters; a longer patch is left out, because a part of it would not apply
MOST_SIGNS = 1000


@dataclass(frozen=True)
class Effect:
    """What the fix changed: the name of a measure, and its value in the control runs and in the treated runs."""

    measure: str
    control: float
    treated: float
    interval: tuple[float, float] | None = None  # of the difference, at the confidence that the trial used

    def __str__(self) -> str:
        return f"{self.measure} {num4(self.control)} → {num4(self.treated)}"


@dataclass(frozen=True)
class Case:
    """One solved case. `signature` holds the level of every sign that was measured before the treatment, by id."""

    script: str
    signature: Mapping[str, float]
    cause: str
    intervention: str
    verdict: str  # cured, proven or helped
    fix: str  # one sentence
    effect: Effect
    patch: str | None = None
    date: str = field(default_factory=lambda: datetime.now(timezone.utc).isoformat(timespec="seconds"))
    version: str = __version__
    id: int | None = None  # given by the history

    def masked(self) -> Case:
        """Return the case for storing: only the base name of the script, no addresses or tokens, no long texts."""
        patch = masked_text(self.patch, LONGEST_PATCH + 1) if self.patch else None
        levels = sorted(self.signature.items(), key=lambda item: -item[1])[:MOST_SIGNS]
        return replace(
            self,
            script=masked_text(base_name(self.script), 200),
            signature={name: round(float(level), 3) for name, level in levels},
            fix=masked_text(self.fix, LONGEST_TEXT),
            patch=patch if patch and len(patch) <= LONGEST_PATCH else None,
        )

    def as_object(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def of(cls, stored: Any, number: int | None = None) -> Case:
        """Make a case from the result of `as_object`. Raises ValueError if a value has a wrong type."""
        try:
            effect = stored["effect"]
            interval = effect.get("interval")
            case = cls(
                **{name: _text(stored[name]) for name in _TEXTS},
                signature={_text(sign): _level(level) for sign, level in stored["signature"].items()},
                effect=Effect(
                    _text(effect["measure"]),
                    float(effect["control"]),
                    float(effect["treated"]),
                    None if interval is None else (float(interval[0]), float(interval[1])),
                ),
                patch=None if stored.get("patch") is None else _text(stored["patch"]),
                id=number,
            )
        except (KeyError, TypeError, AttributeError, IndexError) as error:
            raise ValueError(f"not a case: {error!r}") from None
        return case


_TEXTS = ("script", "cause", "intervention", "verdict", "fix", "date", "version")


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is not a text")
    return value


def _level(value: object) -> float:
    level = float(value)  # type: ignore[arg-type]
    if math.isnan(level):
        raise TypeError("a level is not a number")
    return min(1.0, max(0.0, level))


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
