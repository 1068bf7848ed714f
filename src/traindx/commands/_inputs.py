"""The runs that the user named (a record, a log, a folder, or nothing), and options that several verbs share."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, TypeVar

from ..reports import format_names
from ._findings import THRESHOLDS
from ._say import CommandError, complain

if TYPE_CHECKING:
    from ..readers import Options
    from ..record import Run

Found = TypeVar("Found")
RECORDS = Path("traindx-runs")  # where `traindx run` writes its records
LOSSES = ("loss/train", "loss/train/0", "loss/validation")
JUDGED = (*LOSSES, "accuracy/train", "accuracy/validation")


def runs_at(path: Path, options: Options) -> list[Run]:
    """One run for each run, fold or resumed stretch at `path` that holds something to judge. Raises ReaderError."""
    from ..readers import ReaderError, read

    if path.suffix == ".py" and path.is_file():
        raise ReaderError(f"{path} is a script, not a log: traindx run {quote(str(path))} runs and diagnoses it")
    runs = read(path, options)
    return [run for run in runs if any(run.series(name) for name in JUDGED)] or runs


def read_each(verb: str, inputs: Iterable[Path], read: Callable[[Path], Iterable[Found]]) -> tuple[list[Found], bool]:
    """What `read` finds in each input, and whether one could not be read: one bad file must not hide the others."""
    from ..readers import ReaderError
    from ..record import RecordError

    found: list[Found] = []
    unreadable = False
    for path in dict.fromkeys(inputs):
        try:
            found += read(path)
        except (ReaderError, RecordError) as error:
            complain(verb, str(error))
            unreadable = True
    return found, unreadable


def newest_record(folder: Path = RECORDS) -> Path:
    """The default input: the newest record."""
    records = list(folder.glob("*.tdx"))
    if not records:
        raise CommandError(
            f"nothing to diagnose: name a record, a log or a folder (there is no record in ./{folder}; "
            "traindx run train.py makes one)"
        )
    return max(records, key=lambda record: record.stat().st_mtime)


def add_output(parser: argparse.ArgumentParser, formats: Sequence[str]) -> None:
    """--format and -o; see `_output.deliver`."""
    parser.add_argument(
        "--format", choices=formats, help="how to print (default: by the suffix of the -o file, else text)"
    )
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="write to FILE instead of the terminal")


def add_format(parser: argparse.ArgumentParser) -> None:
    """The same for a diagnosis; see `_output.deliver_diagnoses`."""
    add_output(parser, format_names())
    parser.add_argument(
        "--why",
        action="store_true",
        help="also show what was asked, checked and not measured, and how every sign changes every hypothesis",
    )


def add_fail_on(parser: argparse.ArgumentParser) -> None:
    """--fail-on and the baseline; see `_findings`."""
    parser.add_argument(
        "--fail-on",
        choices=THRESHOLDS,
        default="never",
        help="exit with 1 if there is a finding at least this severe (default: never)",
    )
    parser.add_argument("--baseline", type=Path, metavar="FILE", help="do not fail on the findings that FILE accepts")
    parser.add_argument(
        "--write-baseline", type=Path, metavar="FILE", help="write FILE, which accepts all current findings"
    )


def add_log_columns(parser: argparse.ArgumentParser) -> None:
    """--map and --step; see `readers.Options`."""
    parser.add_argument(
        "--map",
        action="append",
        default=[],
        metavar="NAME=COLUMN",
        help="read the log's COLUMN as loss, val_loss, accuracy, lr … (may be repeated)",
    )
    parser.add_argument("--step", metavar="COLUMN", help="the log's column that counts steps")
