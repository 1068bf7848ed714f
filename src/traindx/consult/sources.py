"""The record or log that an interview starts from."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from ..readers import principal, read
from ..record import Run


def base_run(source: str) -> Run:
    """The run at `source`, read again only if the file has changed. Raises `ReaderError` or `RecordError`."""
    path = Path(source)
    changed = path.stat().st_mtime_ns if path.exists() else 0
    return _read(source, changed)


@lru_cache(maxsize=4)
def _read(source: str, changed: int) -> Run:  # noqa: ARG001 (the modification time is part of the cache key)
    return principal(read(source))
