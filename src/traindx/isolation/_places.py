"""Finds folders that a script may want to write to although other users own the folders above them."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

LOOKED_AT = 4000  # entries of folders, at most
DEPTH = 3  # levels below the root, where users' disks are mounted
SYSTEM = {"bin", "boot", "dev", "etc", "lib", "lib32", "lib64", "proc", "run", "sbin", "snap", "sys", "usr"}


def writable_places(words: Iterable[str]) -> list[str]:
    """Return absolute paths without links. `words` are the arguments of the script; some of them may be paths."""
    if os.geteuid() == 0:
        return []  # the layers of root can hold the files of all users
    # Not `tempfile.gettempdir()`, because it tests a folder by writing to it.
    known = {os.environ.get(name, "/tmp") for name in ("TMPDIR", "TEMP", "TMP")}
    known |= {"/tmp", "/var/tmp", "/dev/shm", sys.prefix, str(Path.home())}
    with suppress(OSError):
        known.add(os.getcwd())
    known |= {word.partition("=")[2] or word for word in words}
    found = {os.path.realpath(place) for place in known if place and os.path.exists(place)}
    found = {place if os.path.isdir(place) else os.path.dirname(place) for place in found}
    budget = [LOOKED_AT]
    for place in sorted(found):
        found |= set(_foreign(place, 99, budget))
    return sorted(found | set(_top(budget)))


def _top(budget: list[int]) -> list[str]:
    return [
        place
        for name in os.listdir("/")
        if name not in SYSTEM and not os.path.islink(f"/{name}")
        for place in (f"/{name}", *_foreign(f"/{name}", DEPTH - 1, budget))
    ]


def _foreign(folder: str, depth: int, budget: list[int]) -> list[str]:
    """Return folders below this one that other users or groups own and this user may write to.

    Near the root (`depth` below 50) the user's own folders are included too.
    """
    found: list[str] = []
    if depth <= 0 or budget[0] <= 0:
        return found
    try:
        entries = list(os.scandir(folder))
    except OSError:
        return found
    for entry in entries:
        budget[0] -= 1
        if budget[0] <= 0:
            break
        with suppress(OSError):
            if not entry.is_dir(follow_symlinks=False):
                continue
            about = entry.stat(follow_symlinks=False)
            mine = about.st_uid == os.geteuid() and about.st_gid == os.getegid()
            if mine and depth < 50:
                found.append(entry.path)  # the kernel copies what is below it
            elif not mine and os.access(entry.path, os.W_OK):
                found += [entry.path, *_foreign(entry.path, depth - 1, budget)]
            else:
                found += _foreign(entry.path, depth - 1, budget)
    return found
