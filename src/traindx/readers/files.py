"""Looks into folders that may hold anything, including files that this user cannot read."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path


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


def matching_files(folder: Path, *patterns: str) -> list[Path]:
    """Return the files below the folder that match one of the patterns of `Path.glob`."""
    found: list[Path] = []
    for pattern in patterns:
        try:
            found += [path for path in folder.glob(pattern) if is_file(path)]
        except OSError:
            continue
    return sorted(found)


class Beside:
    """Says whether a text file lies beside one of the given logs.

    Beside means in the folder of the log, below it (`run/logs/stdout.txt`) or above it (a README above the runs).
    """

    def __init__(self, logs: Iterable[Path]) -> None:
        self._with_logs = {log if log.is_dir() else log.parent for log in logs}
        self._above = {parent for folder in self._with_logs for parent in folder.parents}

    def __call__(self, text: Path) -> bool:
        folder = text.parent
        return folder in self._above or not self._with_logs.isdisjoint((folder, *folder.parents))
