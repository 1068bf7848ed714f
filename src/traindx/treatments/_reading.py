"""Records, in the script's process, which data files it reads. A cached run is valid only while they do not change.

An audit hook sees Python's `open` and everything built on it, from the import of torch on. It does not see libraries
that open files in C.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

MOST = 2000  # files; of a folder with one file per sample, only this many are recorded
SOURCES = (".py", ".pyc", ".pyi", ".so")

_heard: set[str] | None = None
_hooked = False


def listen() -> None:
    """Start again with an empty list. An audit hook cannot be removed, so the process installs it once."""
    global _heard, _hooked
    _heard = set()
    if not _hooked:
        _hooked = True
        sys.addaudithook(_hook)


def heard(folders: set[Path]) -> list[str]:
    """The files below these folders that were opened for reading so far."""
    found = set()
    for name in list(_heard or ()):
        path = Path(name).resolve()
        if any(path.is_relative_to(folder) for folder in folders) and path.is_file():
            found.add(str(path))
    return sorted(found)


def _hook(event: str, given: tuple[Any, ...]) -> None:
    if event != "open" or _heard is None or len(_heard) >= MOST:
        return
    path, _, flags = given
    writes = isinstance(flags, int) and flags & (os.O_WRONLY | os.O_RDWR)
    if isinstance(path, (str, bytes)) and not writes:
        name = os.fsdecode(path)
        if not name.endswith(SOURCES):
            _heard.add(str(Path(name).absolute()))  # absolute now: the script may change its folder later
