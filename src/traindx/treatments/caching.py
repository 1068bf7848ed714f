"""Keeps the records of finished arms in the user's cache folder, so that no trial runs twice.

The key of an entry is the script with its arguments, the change, its dose, the seed and the length. An entry is valid
only while every source file that the run imported from its own folder is unchanged, and every data file that the run
read from there (`arm`) has the same size and modification time.
"""

from __future__ import annotations

import json
import math
import os
import shutil
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cache
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from .. import __version__
from ..paths import cache_folder
from ._base import DRIVERS

MOST_BYTES = 512 << 20


def usual_folder() -> Path:
    return cache_folder() / "trials"


class TrialCache:
    """The cache. It keeps nothing if `folder` is None."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder

    def find(self, about: Mapping[str, Any]) -> Path | None:
        """The record of an earlier arm with the same key, sources and data; None if there is none."""
        if self._folder is None:
            return None
        record, files = self._places(about)
        try:
            known = json.loads(files.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        sources, data = known.get("sources"), known.get("data")
        if not record.exists() or not isinstance(sources, dict) or not isinstance(data, dict):
            return None
        if any(_digest(Path(path)) != digest for path, digest in sources.items()):
            return None
        if any(_state(Path(path)) != state for path, state in data.items()):
            return None
        if known.get("record") != _digest(record):
            return None  # two processes kept this arm at the same time, and each wrote one of the two files
        with suppress(OSError):
            os.utime(record)  # marks it as used: pruning starts with the least recently used
        return record

    def keep(
        self,
        about: Mapping[str, Any],
        record: Path,
        files: list[str],
        since: float = math.inf,
        data: Sequence[str] = (),
    ) -> None:
        """Keeps a finished arm. Errors while writing are ignored: without a cache, trials only take longer.

        A run is not kept if its sources cannot be read, or if sources or data changed after it began at `since`,
        because it may have used an older version. Data files that do not exist here were written by the isolated run
        itself and are ignored."""
        if self._folder is None or not files:
            return
        digests = file_digests(files)
        states = {path: state for path in data if (state := _state(Path(path)))}
        written = [(_state(Path(path)) or [0, math.inf])[1] for path in [*files, *states]]
        if not all(digests.values()) or max(written) >= since * 1e9:
            return
        kept, known = self._places(about)
        with suppress(OSError):
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            passing = kept.with_suffix(f".{os.getpid()}")
            shutil.copyfile(record, passing)
            passing.chmod(0o600)
            record_digest = _digest(passing)
            passing.replace(kept)
            known.write_text(
                json.dumps({"sources": digests, "data": states, "record": record_digest}), encoding="utf-8"
            )
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
    """Digests of the files as they are now; "" for a file that cannot be read."""
    return {path: _digest(Path(path)) for path in files}


@cache
def code_digest(driver: str) -> str:
    """A digest of all source files in a driver's folder. It changes if the code of an intervention changes."""
    own = ":" in driver and "." not in driver
    module = DRIVERS if own else driver.partition(":")[0]
    spec = None
    with suppress(ValueError, ImportError):  # a module without a file
        spec = find_spec(module)
    place = Path(spec.origin).parent if spec is not None and spec.origin else None
    files = sorted(place.glob("*.py")) if place is not None else []
    return sha256("".join(_digest(file) for file in files).encode()).hexdigest()[:16]


def _state(path: Path) -> list[float]:
    """Size and modification time. For data these suffice, because hashing all of it would take too long."""
    try:
        found = path.stat()
        return [found.st_size, found.st_mtime_ns]
    except OSError:
        return []


def _digest(path: Path) -> str:
    try:
        return sha256(path.read_bytes()).hexdigest()
    except OSError:
        return ""
