"""Asks each reader how sure it is that it can read a log, and finds the logs in folders, which may hold anything."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import TypeVar

from ..units import modules_of
from .meaning.names import PHASES
from .options import ReaderError, UnexpectedContentError
from .source import Source

SURE_ENOUGH = 0.1  # a reader that is less sure is not used
CERTAIN = 0.5  # readers that are less sure accept nearly any text


@cache
def all_readers() -> tuple[ModuleType, ...]:
    return tuple(modules_of("traindx.readers.formats", defining="sniff", group="traindx.readers"))


def sureness(source: Source) -> float:
    """Return how sure the surest reader is. Below `SURE_ENOUGH` no reader is used."""
    return max(_sniffed(module, source) for module in all_readers())


def fitting(source: Source) -> list[ModuleType]:
    """Return the readers that may read this source, the surest first."""
    rated = [(_sniffed(module, source), module) for module in all_readers()]
    return [module for sure, module in sorted(rated, key=lambda pair: -pair[0]) if sure >= SURE_ENOUGH]


def _sniffed(module: ModuleType, source: Source) -> float:
    try:
        return float(module.sniff(source))
    except ReaderError:
        raise
    except OSError as error:
        raise unreadable(source, error) from None
    except Exception as error:
        raise unexpected(source, module, error) from error


def unreadable(source: Source, error: OSError) -> ReaderError:
    return ReaderError(f"{source.name} cannot be read ({(error.strerror or type(error).__name__).lower()})")


def unexpected(source: Source, module: ModuleType, error: Exception) -> UnexpectedContentError:
    return UnexpectedContentError(
        f"{source.name} is damaged or not in the format {module.KIND} ({type(error).__name__} while reading it)"
    )


MARKED = 64  # bytes at the start of a file in which a format writes its mark
DEEPEST = 6  # a folder may be a whole project; its logs usually lie near the top
Found = TypeVar("Found")
_A_LOSS = re.compile(r"loss['\"\]]?\s*[:=]?\s*[-+]?(?:\d|nan)", re.IGNORECASE)
_NO_LOGS = frozenset(("__pycache__", "node_modules", "site-packages", "venv"))
_CHECKPOINT = re.compile(r"checkpoint[-_]\d+$")


@dataclass(frozen=True)
class Place:
    """One log to read. A file that was found in a folder may turn out not to be a log, which is not an error."""

    path: Path
    root: Path | None = None  # the folder that the user named, if the log was found in one
    weak: bool = False  # free text, which may be anything


def places_at(path: Path) -> list[Place]:
    """Return the logs at `path`. Raises ReaderError if there are none."""
    if str(path) == "-" or not path.is_dir():
        return [Place(path)]
    places = list(_below(path, path, DEEPEST))
    if not places:
        raise ReaderError(f"{path} holds no log that traindx reads")
    return places


def read_places(
    places: Sequence[Place],
    read: Callable[[list[Place]], Iterable[tuple[Place, Found]]],
    has_loss: Callable[[Found], bool],
) -> tuple[dict[Place, Found], list[Place]]:
    """Return what `read` finds at the places, in their order, and the texts that seem to hold losses but do not count.

    Logs of a certain format are read first. Free text beside one with a loss is not read.
    """
    found = dict(read([place for place in places if not place.weak]))
    beside = _texts_beside_logs(places, lambda place: has_loss(found[place]))
    found |= read([place for place in places if place.weak and place not in beside])
    left_out = [place for place in places if place in beside and _A_LOSS.search(Source(place.path).text_head)]
    return {place: found[place] for place in places if place in found}, left_out


def _texts_beside_logs(places: Sequence[Place], holds_loss: Callable[[Place], bool]) -> set[Place]:
    """Return the texts beside a log, in folders below (`run/logs/stdout.txt`) or above it (a README above the runs)."""
    logs = [place.path for place in places if place.root and not place.weak and holds_loss(place)]
    with_logs = {log if log.is_dir() else log.parent for log in logs}
    above = {parent for folder in with_logs for parent in folder.parents}

    def beside(folder: Path) -> bool:
        return folder in above or not with_logs.isdisjoint((folder, *folder.parents))

    return {place for place in places if place.weak and beside(place.path.parent)}


def _below(folder: Path, root: Path, depth: int) -> Iterator[Place]:
    entries = entries_in(folder)
    folders = [entry for entry in entries if is_folder(entry)]
    if is_one_run(folder, entries, folders):
        yield Place(folder, root)
        entries = [entry for entry in entries if is_file(entry) and 0 < _sure(entry) < CERTAIN]
        yield from (Place(entry, root, weak=True) for entry in entries)
        return
    for entry in entries:
        if is_file(entry) and (sure := _sure(entry)) > 0:
            yield Place(entry, root, weak=sure < CERTAIN)
    for inner in folders if depth else ():
        if inner.name not in _NO_LOGS:
            yield from _below(inner, root, depth - 1)


def is_one_run(folder: Path, entries: Iterable[Path], folders: Iterable[Path]) -> bool:
    """Return whether a format claims the folder and its logs lie in it or in folders of phases or checkpoints."""
    with suppress(ReaderError):  # a file in it cannot be read
        if any(reader.is_run(folder) for reader in all_readers() if hasattr(reader, "is_run")):
            return True
    if _sure(folder) < CERTAIN:
        return False
    parts = [entry for entry in folders if entry.name.lower() in PHASES or _CHECKPOINT.match(entry.name)]
    return bool(parts) or any(is_file(entry) and _sure(entry) >= 0.9 for entry in entries)


def _sure(path: Path) -> float:
    try:
        return sureness(Source(path))
    except (ReaderError, OSError):
        return 0.0


def entries_in(folder: Path) -> list[Path]:
    """Return the sorted entries of a folder without hidden ones; nothing if the folder cannot be listed."""
    try:
        return sorted(entry for entry in folder.iterdir() if not entry.name.startswith("."))
    except OSError:
        return []


def is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:
        return False


def is_folder(path: Path) -> bool:
    """Return whether this is a folder and not a link to one: links can form cycles."""
    try:
        return path.is_dir() and not path.is_symlink()
    except OSError:
        return False


def marked_files(folder: Path, pattern: str, mark: bytes) -> Iterator[Path]:
    """Yield the files below the folder that match the pattern and have the mark among their first bytes."""
    for path in matching_files(folder, pattern):
        with suppress(ReaderError):
            if mark in Source(path).head[:MARKED]:
                yield path


def matching_files(folder: Path, *patterns: str) -> list[Path]:
    """Return the files below the folder that match one of the patterns of `Path.glob`."""
    found: list[Path] = []
    for pattern in patterns:
        try:
            found += [path for path in folder.glob(pattern) if is_file(path)]
        except OSError:
            continue
    return sorted(found)
