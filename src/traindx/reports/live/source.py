"""The followed file: a record that a run is writing, or a log. Tells when it changed and reads what is new.

Every read opens the record, reads one snapshot and closes it again, so it never blocks the writer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ...record import Run, Series
from ...record.opening import RecordFile
from ...record.writer import CHUNK_POINTS

MOST_FILES = 200  # of a folder, checked for changes


@dataclass(frozen=True)
class Source:
    """`read` returns the run as it is now. `points` works only for records, which can be read from the middle."""

    path: Path
    read: Callable[[], Run]

    @property
    def is_record(self) -> bool:
        return self.path.suffix == ".tdx"

    def stamp(self) -> tuple[tuple[str, int, int], ...]:
        """A value that changes whenever something is written."""
        if self.path.is_dir():
            files = sorted(file for file in self.path.rglob("*") if file.is_file())[:MOST_FILES]
        else:
            files = [self.path.with_name(self.path.name + tail) for tail in ("", "-wal", "-exit")]
        found = []
        for file in files:
            try:
                status = file.stat()
            except OSError:
                continue
            found.append((file.name, status.st_mtime_ns, status.st_size))
        return tuple(found)

    def points(self, known: Mapping[str, int]) -> dict[str, Series]:
        """The points of each series after the first `known[name]` ones. Earlier chunks are not read."""
        found = {}
        with RecordFile(self.path) as file:
            ids = {name: int(number) for number, name in file.rows("SELECT id, name FROM series")}
            for name, have in known.items():
                if name not in ids:
                    continue
                chunk, offset = divmod(have, CHUNK_POINTS)
                later = f"series = {ids[name]} AND chunk >= {chunk}"
                rows = list(file.rows(f'SELECT steps, "values" FROM points WHERE {later} ORDER BY chunk'))
                steps = np.frombuffer(b"".join(row[0] for row in rows), "<i8").astype(np.int64)[offset:]
                values = np.frombuffer(b"".join(row[1] for row in rows), "<f8").astype(np.float64)[offset:]
                if len(steps) and len(steps) == len(values):
                    found[name] = Series(name, steps, values)
        return found
