"""Which text files in a folder are runs of their own, and which lie beside the proper log of a run."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path


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
