"""From what the user named (a record, a log, a folder, or nothing) to runs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ._errors import CommandError

if TYPE_CHECKING:
    from ..readers import Options
    from ..record import Run

RECORDS = Path("traindx-runs")  # where `traindx run` leaves its records
RECORD_SUFFIX = ".tdx"


def runs_at(path: Path, options: Options) -> list[Run]:
    """All runs at `path`; raises ReaderError or RecordError with one clear line."""
    from ..readers import read
    from ..record import load

    if path.suffix == RECORD_SUFFIX and path.is_file():
        return [load(path)]
    records = sorted(path.rglob(f"*{RECORD_SUFFIX}")) if path.is_dir() else []
    # A folder of records need not hold logs too.
    return [load(record) for record in records] or read(path, options)


def newest_record(folder: Path = RECORDS) -> Path:
    """What is meant when no input is named: the run just made."""
    records = list(folder.glob(f"*{RECORD_SUFFIX}"))
    if not records:
        raise CommandError(
            f"nothing to diagnose: name a record, a log or a folder (there is no record in ./{folder}; "
            "traindx run train.py makes one)"
        )
    return max(records, key=lambda record: record.stat().st_mtime)
