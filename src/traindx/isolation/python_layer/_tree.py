"""The layer: finds the file to read and the file to write for a path that the script names.

A path in the layer is *above*, the real path is *below*.
"""

from __future__ import annotations

import errno
import os
import shutil
import stat
from collections.abc import Sequence
from typing import Any

MOST_LINKS = 40
SHARED_MEMORY = "/dev/shm"
# The original functions: `_files` replaces those in `os`.
lstat, readlink, mkdir, listdir, access, getcwd = os.lstat, os.readlink, os.mkdir, os.listdir, os.access, os.getcwd
status, chmod = os.stat, os.chmod


def there(path: str) -> bool:
    """Return whether the path exists, even if it is a broken link."""
    try:
        lstat(path)
    except (OSError, ValueError):
        return False
    return True


def is_folder(path: str) -> bool:
    try:
        return stat.S_ISDIR(status(path).st_mode)
    except (OSError, ValueError):
        return False


def is_link(path: str) -> bool:
    return there(path) and stat.S_ISLNK(lstat(path).st_mode)


class Tree:
    """Maps paths to the layer. `FOLDER/files/PATH` replaces `/PATH`. Folders in `real` are not redirected."""

    def __init__(self, folder: str, real: Sequence[str]) -> None:
        self.folder = folder
        self._real = (folder, *real, "/proc")
        self._gone: set[str] = set()  # paths whose real files the script has deleted
        try:
            self.cwd = getcwd()
        except OSError:
            self.cwd = ""

    def name(self, path: Any, at: int | None = None, follow: bool = True) -> str:
        """Return the absolute path that the script means, without links. `at` is the descriptor of a folder."""
        text = os.fsdecode(os.fspath(path))
        base = self.cwd if at is None else self.shown(readlink(f"/proc/self/fd/{at}"))
        if not text.startswith("/") and not base:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
        return self._walk(os.path.join(base, text), follow, MOST_LINKS)

    def _walk(self, path: str, follow: bool, links: int) -> str:
        if self.is_real(path):
            return path
        done = ""
        parts = [part for part in path.split("/") if part not in ("", ".")]
        for i, part in enumerate(parts):
            if part == "..":
                done = done.rpartition("/")[0]
                continue
            here, last = f"{done}/{part}", i == len(parts) - 1
            if (follow or not last) and (target := self._link(here)) is not None:
                if links == 0:
                    raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), path)
                return self._walk(os.path.join(done or "/", target, *parts[i + 1 :]), follow, links - 1)
            done = here
        return done or "/"

    def _link(self, name: str) -> str | None:
        try:
            place = self.place(name)
            return readlink(place) if stat.S_ISLNK(lstat(place).st_mode) else None
        except OSError:
            return None

    def is_real(self, name: str) -> bool:
        """Return whether the layer does not redirect this path."""
        if name.startswith("/dev/"):
            return not (name == SHARED_MEMORY or name.startswith(SHARED_MEMORY + "/"))
        return any(name == folder or name.startswith(folder + "/") for folder in self._real)

    def shown(self, place: str) -> str:
        """Return the path that a file of the layer stands for."""
        files = f"{self.folder}/files"
        inside = place == files or place.startswith(files + "/")
        return (place[len(files) :] or "/") if inside else place

    def above(self, name: str) -> str:
        """Return where the layer has this path, or would have it."""
        return name if self.is_real(name) else f"{self.folder}/files{name}"

    def place(self, name: str) -> str:
        """Return the file to read: the one in the layer if there is one, else the real one."""
        above = self.above(name)
        return above if there(above) or self.hidden(name) else name

    def hidden(self, name: str) -> bool:
        """Return whether the script has deleted the real file at this path, or a folder above it."""
        while name not in ("", "/"):
            if name in self._gone:
                return True
            name = name.rpartition("/")[0]
        return False

    def hide(self, name: str) -> None:
        if not self.is_real(name):
            self._gone.add(name)

    def exists(self, name: str) -> bool:
        return there(self.place(name))

    def for_writing(self, name: str, contents: bool = True) -> str:
        """Return the file in the layer for this path. If it is new, copy the real one, with its contents or without."""
        above = self.above(name)
        if self.is_real(name) or there(above):
            return above
        self.make_folder(name.rpartition("/")[0] or "/")
        below = self.place(name)
        if below == name and there(below):
            if not is_link(below) and not access(below, os.W_OK):
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), name)
            self._copy(below, above, contents)
        elif not access(self.place(name.rpartition("/")[0] or "/"), os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), name)
        return above

    def _copy(self, below: str, above: str, contents: bool) -> None:
        if is_folder(below) and not is_link(below):
            mkdir(above)
            shutil.copystat(below, above)
        elif contents or is_link(below):
            shutil.copy2(below, above, follow_symlinks=False)

    def make_folder(self, name: str) -> None:
        """Create the folder in the layer if it exists for the script."""
        above = self.above(name)
        if is_folder(above):
            return
        if name != "/":
            self.make_folder(name.rpartition("/")[0] or "/")
        if not self.hidden(name) and is_folder(name):
            mkdir(above)
            chmod(above, stat.S_IMODE(status(name).st_mode) | 0o700)

    def names_in(self, name: str) -> list[str]:
        """Return the names in a folder as the script sees it."""
        found = set()
        if is_folder(above := self.above(name)):
            found |= set(listdir(above))
        if above != name and not self.hidden(name) and is_folder(name):
            found |= {each for each in listdir(name) if self.exists(f"{name.rstrip('/')}/{each}")}
        elif not is_folder(above):
            listdir(above)  # raises the error that the script expects
        return sorted(found)
