"""Reads a log with the reader that is surest that it can."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from types import ModuleType

from ..record import RecordError, Run
from ..wording import listed
from .folders import Place, entries_in, fitting, is_file, places_at, read_places, unexpected, unreadable
from .options import NotThisFormatError, Options, ReaderError
from .source import LONGEST_LINE, Source

MOST_NAMED = 5
_LOSSES = ("loss/train", "loss/train/0", "loss/validation")


def read(place: str | Path, options: Options | None = None, *, columns: Mapping[str, str] | None = None) -> list[Run]:
    """Read all runs of a log file, a folder or, for `-`, standard input, in the order of the log.

    `columns` says what columns mean, as `--map` does: `read(log, columns={"val_loss": "score"})`.

    Raises `ReaderError` with one line that says why when there is nothing to read. A log without a loss gives a run
    whose fact `log` says so.
    """
    options = options or Options()
    if columns:
        options = replace(options, columns={**options.columns, **Options.of_columns(columns).columns})
    return _read_source(Source.of(place), options)


def read_text(text: str, name: str = "the pasted text", options: Options | None = None) -> list[Run]:
    """Read all runs from a log in memory; reports call it `name`."""
    return _read_source(Source(Path("-"), name, BytesIO(text.encode("utf-8", "replace"))), options or Options())


def _read_source(source: Source, options: Options) -> list[Run]:
    try:
        if source.is_dir:
            return _read_folder(source, options)
        return _read_by_first_that_fits(source, options)
    finally:
        source.close()


def _read_folder(folder: Source, options: Options) -> list[Run]:
    """Read every log in a folder, without those that hold no loss if another one does."""
    places = places_at(folder.path)

    def read_some(some: list[Place]) -> Iterator[tuple[Place, list[Run]]]:
        for place in some:
            try:
                yield place, _read_by_first_that_fits(Source(place.path), options)
            except ReaderError:
                # What claimed a folder is damaged: its other files are still read.
                inner = [entry for entry in entries_in(place.path) if is_file(entry)]
                runs = [run for _, runs in read_some([Place(entry, folder.path) for entry in inner]) for run in runs]
                if not runs and place.path == folder.path:
                    raise
                yield place, runs

    found, left_out = read_places(places, read_some, lambda runs: any(map(_has_loss, runs)))
    runs = [run for of_place in found.values() for run in of_place]
    if not runs:
        raise ReaderError(f"{folder.name} holds no log that traindx reads")
    if names := [str(place.path.relative_to(folder.path)) for place in left_out]:
        note = f"text beside this log was not read: {listed(names, MOST_NAMED)} (name a file to diagnose it)"
        for run in runs:
            if "log" in run.facts:  # an observed run needs no text beside it
                run.facts["log"]["notes"].insert(0, note)
    return [run for run in runs if _has_loss(run)] or runs


def principal(runs: list[Run]) -> Run:
    """Choose the run to diagnose when one is wanted: the one with most points of loss, the last of equals."""
    return max(reversed(runs), key=lambda run: max(len(run.series(name)) for name in _LOSSES))


def _has_loss(run: Run) -> bool:
    return any(run.series(name) for name in _LOSSES)


def _read_by_first_that_fits(source: Source, options: Options) -> list[Run]:
    if not (readers := fitting(source)):
        raise ReaderError(_refusal(source))
    first, *others = readers
    try:
        return _read(first, source, options)
    except NotThisFormatError as refusal:
        for reader in others:
            try:
                return _read(reader, source, options)
            except ReaderError:
                continue
        raise ReaderError(str(refusal)) from None


def _read(reader: ModuleType, source: Source, options: Options) -> list[Run]:
    try:
        source.refuse_bomb()
        runs: list[Run] = reader.read(source, options)
    except RecursionError:
        raise ReaderError(f"{source.name} is nested too deeply for a log") from None
    except MemoryError:
        raise ReaderError(f"{source.name} is too large for the memory of this machine") from None
    except (ReaderError, RecordError):
        raise
    except OSError as error:
        raise unreadable(source, error) from None
    except Exception as error:
        raise unexpected(source, reader, error) from error
    if not runs:
        long = source.skipped_long_lines
        skipped = f"; lines longer than {LONGEST_LINE >> 20} MB skipped: {long}" if long else ""
        raise ReaderError(f"{source.name} holds no training values ({reader.KIND}{skipped})")
    return runs


def _refusal(source: Source) -> str:
    if not source.head:
        return f"{source.name} is empty"
    if not source.is_text:
        return f"{source.name} is binary data in a format that traindx does not read"
    return f"{source.name} is text without named numbers, so not a training log"
