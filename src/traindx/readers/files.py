"""Looking into folders that may hold anything, also what this user may not read."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path


def entries_in(folder: Path) -> list[Path]:
    """What the folder holds, in order and without hidden entries; nothing where it cannot be listed."""
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
    """A folder that is not a link to one: links can lead in circles."""
    try:
        return path.is_dir() and not path.is_symlink()
    except OSError:
        return False


def matching_files(folder: Path, *patterns: str) -> list[Path]:
    """The files below the folder whose path matches a pattern, as `Path.glob` takes it."""
    found: list[Path] = []
    for pattern in patterns:
        try:
            found += [path for path in folder.glob(pattern) if is_file(path)]
        except OSError:
            continue
    return sorted(found)


class Beside:
    """Made from the proper logs; told a text file, says whether it lies beside one.

    That is in its folder, below it (`run/logs/stdout.txt`), or above it (a README over the runs).
    """

    def __init__(self, logs: Iterable[Path]) -> None:
        self._with_logs = {log if log.is_dir() else log.parent for log in logs}
        self._above = {parent for folder in self._with_logs for parent in folder.parents}

    def __call__(self, text: Path) -> bool:
        folder = text.parent
        return folder in self._above or not self._with_logs.isdisjoint((folder, *folder.parents))
