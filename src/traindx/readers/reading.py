"""Asks each reader how sure it is that it can read a log, and reads the log with the surest one."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from io import BytesIO
from pathlib import Path
from types import ModuleType

from ..record import RecordError, Run
from ..units import modules_of
from .errors import NotThisFormatError, ReaderError, UnexpectedContentError
from .files import Beside, entries_in, is_file, is_folder
from .options import Options
from .source import LONGEST_LINE, Source

# A folder may be a whole project. Its logs usually lie near the top.
MOST_FILES, DEEPEST = 5000, 6
SURE_ENOUGH = 0.1  # a reader that is less sure is not used
CERTAIN = 0.5  # readers that are less sure accept nearly any text
MOST_NAMED = 5
_LOSSES = ("loss/train", "loss/train/0", "loss/validation")
_A_LOSS = re.compile(r"loss['\"\]]?\s*[:=]?\s*[-+]?(?:\d|nan)", re.IGNORECASE)


@cache
def all_readers() -> tuple[ModuleType, ...]:
    return tuple(modules_of("traindx.readers", defining="sniff"))


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
        readers = _fitting(source)
        if readers:
            runs = _read_by_first_that_fits(readers, source, options)
            return _with_note_on_skipped_texts(runs, source.path, _weak_beside(source)) if source.is_dir else runs
        if source.is_dir:
            return _read_files_in(source, options)
        raise ReaderError(_refusal(source))
    finally:
        source.close()


def principal(runs: list[Run]) -> Run:
    """Choose the run to diagnose when one is wanted: the one with most points of loss, the last of equals."""
    return max(reversed(runs), key=lambda run: max(len(run.series(name)) for name in _LOSSES))


def sureness(source: Source) -> float:
    """Return how sure the surest reader is that it can read this source. Below `SURE_ENOUGH` no reader is used."""
    return max(_sniffed(module, source) for module in all_readers())


def _fitting(source: Source) -> list[ModuleType]:
    """Return the readers that may read this source, the surest first."""
    rated = [(_sniffed(module, source), module) for module in all_readers()]
    return [module for sure, module in sorted(rated, key=lambda pair: -pair[0]) if sure >= SURE_ENOUGH]


def _sniffed(module: ModuleType, source: Source) -> float:
    try:
        return float(module.sniff(source))
    except ReaderError:
        raise
    except OSError as error:
        raise ReaderError(_unreadable(source, error)) from None
    except Exception as error:
        raise _unexpected(source, module, error) from error


def _unreadable(source: Source, error: OSError) -> str:
    return f"{source.name} cannot be read ({(error.strerror or type(error).__name__).lower()})"


def _unexpected(source: Source, module: ModuleType, error: Exception) -> UnexpectedContentError:
    return UnexpectedContentError(
        f"{source.name} is damaged or not in the format {module.KIND} ({type(error).__name__} while reading it)"
    )


def _read_by_first_that_fits(readers: list[ModuleType], source: Source, options: Options) -> list[Run]:
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
        raise ReaderError(_unreadable(source, error)) from None
    except Exception as error:
        raise _unexpected(source, reader, error) from error
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


def _read_files_in(folder: Source, options: Options) -> list[Run]:
    """Read every log in a folder that no format claims as a whole. Free text beside a log with a loss is not read."""
    claimed: list[tuple[float, Source, list[ModuleType]]] = []
    for path in _files_below(folder.path):
        source = Source(path)
        try:
            if readers := _fitting(source):
                claimed.append((_sniffed(readers[0], source), source, readers))
        except ReaderError:
            continue  # an archive or an unreadable file: the other files are still read
    certain = [entry for entry in claimed if entry[0] >= CERTAIN]
    weak = [entry for entry in claimed if entry[0] < CERTAIN]
    logs = [(source.path, runs) for entry in certain if (runs := _runs_in(*entry[1:], options))]
    beside = Beside(path for path, runs in logs if any(map(_has_loss, runs)))
    skipped = [source for _, source, _ in weak if beside(source.path)]
    found = [run for _, runs in logs for run in runs]
    for _, source, readers in weak:
        if not beside(source.path):
            found += _runs_in(source, readers, options)
    if not found:
        raise ReaderError(f"{folder.name} holds no log that traindx reads")
    with_loss = [run for run in found if _has_loss(run)] or found
    return _with_note_on_skipped_texts(with_loss, folder.path, skipped)


def _runs_in(source: Source, readers: list[ModuleType], options: Options) -> list[Run]:
    """Return the runs in one of many files; none if it cannot be read."""
    try:
        return _read_by_first_that_fits(readers, source, options)
    except ReaderError:
        return []


def _has_loss(run: Run) -> bool:
    return any(run.series(name) for name in _LOSSES)


def _weak_beside(folder: Source) -> list[Source]:
    """Return the text files that may be logs, in a folder that a format claims as a whole."""
    found = []
    for path in entries_in(folder.path)[:MOST_FILES]:
        source = Source(path)
        try:
            if is_file(path) and 0 < sureness(source) < CERTAIN:
                found.append(source)
        except ReaderError:
            continue
    return found


def _with_note_on_skipped_texts(runs: list[Run], folder: Path, texts: list[Source]) -> list[Run]:
    """Add a note to each run that names the text files that were not read and seem to hold losses."""
    names = [str(text.path.relative_to(folder)) for text in texts if _A_LOSS.search(text.text_head)]
    if names:
        more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
        note = f"text beside this log was not read: {', '.join(names[:MOST_NAMED])}{more} (name a file to diagnose it)"
        for run in runs:
            if "log" in run.facts:  # an observed run needs no text beside it
                run.facts["log"]["notes"].insert(0, note)
    return runs


def _files_below(folder: Path) -> list[Path]:
    found: list[Path] = []
    level = [folder]
    for _ in range(DEEPEST):
        entries = [entry for place in level for entry in entries_in(place)]
        found += [entry for entry in entries if is_file(entry)]
        level = [entry for entry in entries if is_folder(entry)]
        if len(found) > MOST_FILES:
            break
    return found[:MOST_FILES]
