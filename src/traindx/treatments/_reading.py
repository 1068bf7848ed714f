"""Which data files the script opens for reading, inside its process: a kept run holds only while they stay the same.

Python's own `open` and what is built on it are heard, from the import of torch on. Libraries that open files in C are
not.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

MOST = 2000  # files; a folder of single samples is known by as many of them
SOURCES = (".py", ".pyc", ".pyi", ".so")

_heard: set[str] | None = None
_hooked = False


def listen() -> None:
    """Begin anew. A hook can never be taken away again, so there is one for the length of the process."""
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
            _heard.add(str(Path(name).absolute()))  # the script may go to another folder
