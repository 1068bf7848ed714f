"""A run record that traindx itself wrote (`.tdx`)."""

from __future__ import annotations

from ...record import RecordError, Run
from ...record.reading import load
from ..options import Options, ReaderError
from ..source import Source

KIND = "observed"


def sniff(source: Source) -> float:
    return 0.9 if source.head.startswith(b"SQLite format 3\0") else 0.0  # it may be the database of a known tracker


def read(source: Source, _options: Options) -> list[Run]:
    if not source.path.exists():
        raise ReaderError("a run record cannot be read from standard input: name its file")
    try:
        return [load(source.path)]
    except RecordError as error:
        raise ReaderError(str(error)) from None
