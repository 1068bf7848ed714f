"""Keeps the records of finished arms in the user's cache folder, so that a trial is not made twice.

The key of an entry is the script with its arguments, the change, its dose, the seed and the length. An entry is valid
only while every source file that the run imported from its own folder is unchanged. Data files are not compared.
"""

from __future__ import annotations

import json
import math
import os
import shutil
import sys
from collections.abc import Iterable, Mapping
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

from .. import __version__

MOST_BYTES = 512 << 20


def usual_folder() -> Path:
    """Where the system keeps caches of this user."""
    if sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "traindx" / "trials"


class TrialCache:
    """`folder` None: nothing is kept."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder

    def find(self, about: Mapping[str, Any]) -> Path | None:
        """The record of an earlier arm with the same key and sources, or None."""
        if self._folder is None:
            return None
        record, files = self._places(about)
        try:
            known = json.loads(files.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        if not record.exists() or any(_digest(Path(path)) != digest for path, digest in known.items()):
            return None
        with suppress(OSError):
            os.utime(record)  # the least recently used go first
        return record

    def keep(self, about: Mapping[str, Any], record: Path, files: list[str], since: float = math.inf) -> None:
        """Keeps a finished arm; a cache that cannot be written only costs time. A run is not kept if its sources cannot
        be read here, or were written after it began at `since`: it may have run an older version of them."""
        if self._folder is None or not files:
            return
        digests = file_digests(files)
        if not all(digests.values()) or any(_written(Path(path)) >= since for path in files):
            return
        kept, known = self._places(about)
        with suppress(OSError):
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            passing = kept.with_suffix(f".{os.getpid()}")
            shutil.copyfile(record, passing)
            passing.chmod(0o600)
            passing.replace(kept)
            known.write_text(json.dumps(digests), encoding="utf-8")
            self._prune()

    def _places(self, about: Mapping[str, Any]) -> tuple[Path, Path]:
        assert self._folder is not None
        key = sha256(json.dumps([__version__, about], sort_keys=True).encode()).hexdigest()[:32]
        return self._folder / f"{key}.tdx", self._folder / f"{key}.json"

    def _prune(self) -> None:
        assert self._folder is not None
        records = sorted(self._folder.glob("*.tdx"), key=lambda path: path.stat().st_mtime, reverse=True)
        total = 0
        for record in records:
            total += record.stat().st_size
            if total > MOST_BYTES:
                record.unlink(missing_ok=True)
                record.with_suffix(".json").unlink(missing_ok=True)


def file_digests(files: Iterable[str]) -> dict[str, str]:
    """Digests of the files as they are now; empty if one cannot be read."""
    return {path: _digest(Path(path)) for path in files}


def _written(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return math.inf


def _digest(path: Path) -> str:
    try:
        return sha256(path.read_bytes()).hexdigest()
    except OSError:
        return ""
