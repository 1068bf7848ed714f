"""Finds the runs that the user named: a record, a log, a folder, or nothing."""

from __future__ import annotations

from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

from ._errors import CommandError

if TYPE_CHECKING:
    from ..readers import Options
    from ..record import Run

RECORDS = Path("traindx-runs")  # where `traindx run` writes its records


def runs_at(path: Path, options: Options, every: bool) -> tuple[list[Run], int]:
    """The runs to diagnose at `path`, and how many there are. Raises ReaderError (one line).

    If a file contains several runs, only the principal one is returned, unless `every` is set.
    """
    from ..readers import ReaderError, principal, read

    if path.suffix == ".py" and path.is_file():
        raise ReaderError(f"{path} is a script, not a log: traindx run {quote(str(path))} runs and diagnoses it")
    runs = read(path, options)
    return (runs if every or path.is_dir() else [principal(runs)]), len(runs)


def newest_record(folder: Path = RECORDS) -> Path:
    """The default input: the newest record."""
    records = list(folder.glob("*.tdx"))
    if not records:
        raise CommandError(
            f"nothing to diagnose: name a record, a log or a folder (there is no record in ./{folder}; "
            "traindx run train.py makes one)"
        )
    return max(records, key=lambda record: record.stat().st_mtime)
