"""Opens a `.tdx` file, also while another process is writing it."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np

from . import schema
from .errors import RecordError
from .run import Run
from .types import Event, LayerTable, Series


def load(path: str | Path) -> Run:
    """Open a run record. Raises `RecordError` with one clear line when that cannot be done."""
    path = Path(path)
    if path.is_dir():
        raise RecordError(f"{path} is a folder, not a run record")
    if not path.exists():
        raise RecordError(f"{path} does not exist")
    return Run(str(path), "observed", FileStore(path))


class FileStore:
    """Reads what it is asked for, when it is asked, over one read-only connection."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._connection = self._connect()

    def _connect(self) -> sqlite3.Connection:
        # The last form serves a record whose -wal file cannot be opened, as on a read-only disk.
        for options in ("mode=ro", "mode=ro&immutable=1"):
            uri = f"file:{quote(str(self._path.absolute()))}?{options}"
            try:
                connection = sqlite3.connect(uri, uri=True, timeout=5.0, check_same_thread=False)
                application = connection.execute("PRAGMA application_id").fetchone()[0]
                version = connection.execute("PRAGMA user_version").fetchone()[0]
                break
            except sqlite3.OperationalError as error:
                reason: sqlite3.Error = error
            except sqlite3.DatabaseError as error:
                raise RecordError(f"{self._path} is not a traindx record ({error})") from None
        else:
            raise RecordError(f"{self._path} cannot be opened ({reason})")
        if application != schema.APPLICATION_ID:
            raise RecordError(f"{self._path} is not a traindx record (another program's database)")
        if version > schema.VERSION:
            raise RecordError(
                f"{self._path} was written by a newer traindx (record version {version}, this one reads "
                f"{schema.VERSION}): upgrade traindx to open it"
            )
        return connection

    def _query(self, sql: str, *arguments: Any) -> list[tuple[Any, ...]]:
        try:
            return self._connection.execute(sql, arguments).fetchall()
        except sqlite3.DatabaseError as error:
            raise RecordError(f"{self._path} is damaged ({error})") from None

    def _json(self, text: str) -> Any:
        try:
            return json.loads(text)
        except ValueError:
            raise RecordError(f"{self._path} is damaged (unreadable JSON inside)") from None

    def facts(self) -> dict[str, Any]:
        return {key: self._json(value) for key, value in self._query("SELECT key, value FROM facts")}

    def series_names(self) -> list[str]:
        return [name for (name,) in self._query("SELECT name FROM series ORDER BY id")]

    def series(self, name: str) -> Series | None:
        rows = self._query(
            'SELECT steps, "values" FROM points JOIN series ON series.id = points.series WHERE name = ? ORDER BY chunk',
            name,
        )
        if not rows:
            return None
        steps = np.frombuffer(b"".join(row[0] for row in rows), dtype="<i8")
        values = np.frombuffer(b"".join(row[1] for row in rows), dtype="<f8")
        return Series(name, steps.astype(np.int64), values.astype(np.float64))

    def quantities(self) -> list[str]:
        return [name for (name,) in self._query("SELECT DISTINCT quantity FROM layers ORDER BY quantity")]

    def layers(self, quantity: str) -> LayerTable | None:
        rows = self._query('SELECT step, set_id, "values" FROM layers WHERE quantity = ? ORDER BY step', quantity)
        if not rows:
            return None
        sets: dict[int, list[str]] = {
            number: self._json(names) for number, names in self._query("SELECT id, names FROM layer_sets")
        }
        used = sorted({set_id for _, set_id, _ in rows})
        columns = {name: i for i, name in enumerate(dict.fromkeys(n for s in used for n in sets[s]))}
        steps = sorted({step for step, _, _ in rows})
        row_of = {step: i for i, step in enumerate(steps)}
        table = np.full((len(steps), len(columns)), np.nan)
        places = {s: [columns[name] for name in sets[s]] for s in used}
        for step, set_id, blob in rows:
            table[row_of[step], places[set_id]] = np.frombuffer(blob, dtype="<f4")
        return LayerTable(quantity, np.asarray(steps, np.int64), tuple(columns), table)

    def events(self) -> list[Event]:
        rows = self._query("SELECT kind, step, data, time FROM events ORDER BY id")
        return [Event(kind, step, self._json(data), time) for kind, step, data, time in rows]
