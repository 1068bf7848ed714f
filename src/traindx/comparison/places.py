"""Expands the folders that the user named to single logs, so that processes can share the work."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ..readers import ReaderError
from ..readers.files import entries_in, is_file, is_folder
from ..readers.formats import mlflow
from ..readers.meaning.names import PHASES
from ..readers.reading import CERTAIN, DEEPEST, sureness
from ..readers.source import Source

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


def _below(folder: Path, root: Path, depth: int) -> Iterator[Place]:
    entries = entries_in(folder)
    folders = [entry for entry in entries if is_folder(entry)]
    if _is_one_run(folder, entries, folders):
        yield Place(folder, root)
        return
    for entry in entries:
        if is_file(entry) and (sure := _sure(entry)) > 0:
            yield Place(entry, root, weak=sure < CERTAIN)
    for inner in folders if depth else ():
        yield from _below(inner, root, depth - 1)


def _is_one_run(folder: Path, entries: list[Path], folders: list[Path]) -> bool:
    """Return whether a format claims the folder and its logs lie in it or in folders of phases or checkpoints."""
    if mlflow.is_run(folder):
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
