"""From what the user named (a record, a log, a folder, or nothing) to runs."""

from __future__ import annotations

from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

from ._errors import CommandError

if TYPE_CHECKING:
    from ..readers import Options
    from ..record import Run

RECORDS = Path("traindx-runs")  # where `traindx run` leaves its records


def runs_at(path: Path, options: Options, every: bool) -> tuple[list[Run], int]:
    """The runs to judge at `path`, and how many there were. Raises ReaderError with one clear line.

    A file is one question and gets one answer: of several runs in it, the principal one, unless `every` is set.
    """
    from ..readers import ReaderError, principal, read

    if path.suffix == ".py" and path.is_file():
        raise ReaderError(f"{path} is a script, not a log: traindx run {quote(str(path))} runs and diagnoses it")
    runs = read(path, options)
    return (runs if every or path.is_dir() else [principal(runs)]), len(runs)


def newest_record(folder: Path = RECORDS) -> Path:
    """What is meant when no input is named: the run just made."""
    records = list(folder.glob("*.tdx"))
    if not records:
        raise CommandError(
            f"nothing to diagnose: name a record, a log or a folder (there is no record in ./{folder}; "
            "traindx run train.py makes one)"
        )
    return max(records, key=lambda record: record.stat().st_mtime)
