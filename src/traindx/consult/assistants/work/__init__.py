"""What runs in a child process of the server: a command of the command line, or a function of `readings`.

It does not import `mcp`, so that a child starts in a fraction of a second. A child confines itself, then runs its
command. Its arguments are `[--confined=FOLDERS] VERB …`, as on the command line, or `[--confined=FOLDERS] :FUNCTION` of
`readings`, which gets its arguments as JSON on stdin.

A child that reads stays inside the allowed folders, whatever paths a log, a record or a link contains. Records name
scripts, folders contain links, and logs refer to other files, so every file that Python opens is checked when it is
opened. No user code runs in such a child, so an audit hook is enough.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Sequence
from importlib import import_module
from typing import Any
from urllib.parse import unquote, urlsplit

CONFINED = "--confined="


class Problem(Exception):
    """A reading has nothing to return; `str(error)` says in one line what is wrong and what to ask for instead."""


def main(words: list[str]) -> int:
    _end_with_server()
    if words and words[0].startswith(CONFINED):
        confine([folder for folder in words.pop(0).removeprefix(CONFINED).split(os.pathsep) if folder])
    if words and words[0].startswith(":"):
        return _read(words[0][1:])
    from ....__main__ import main as command_line

    return command_line(words)


def _read(name: str) -> int:
    from ....readers import ReaderError
    from ....record import RecordError

    arguments = json.load(sys.stdin)
    try:
        found = getattr(import_module(".readings", __package__), name)(**arguments)
    except (Problem, ReaderError, RecordError) as error:
        print(" ".join(str(error).split()), file=sys.stderr)
        return 2
    json.dump(found, sys.stdout)
    return 0


def _end_with_server() -> None:
    """Make the kernel kill this process if the server is killed (Linux)."""
    if sys.platform == "linux":
        import ctypes
        import signal

        ctypes.CDLL(None).prctl(1, signal.SIGKILL, 0, 0, 0)  # PR_SET_PDEATHSIG
        if os.getppid() == 1:  # the server is already dead
            sys.exit(1)


WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
SYSTEM = ("/proc", "/sys/devices", "/sys/fs/cgroup", "/usr/share/zoneinfo", "/etc/localtime", os.devnull)
CHANGES = frozenset(
    {"os.remove", "os.rename", "os.rmdir", "os.mkdir", "os.link", "os.symlink", "os.truncate", "os.chmod", "os.chown",
     "shutil.rmtree", "shutil.move", "subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.fork",
     "os.forkpty", "socket.connect", "socket.bind"}
)  # fmt: skip


def confine(roots: Sequence[str]) -> None:
    """From now on, this process can read only in `roots` and Python's own folders, and cannot write."""
    own = (sys.prefix, sys.base_prefix, sys.exec_prefix, *(entry for entry in sys.path if entry))
    allowed = tuple({os.path.realpath(folder) for folder in (*roots, *own, *SYSTEM)})
    sys.dont_write_bytecode = True
    tempfile.tempdir = roots[0] if roots else "/"  # otherwise Python looks for a folder by writing a file
    sys.addaudithook(_Guard(allowed))


class _Guard:
    def __init__(self, allowed: tuple[str, ...]) -> None:
        self._allowed = allowed

    def __call__(self, event: str, details: tuple[Any, ...]) -> None:
        if event == "open":
            self._check(details[0], details[1], details[2])
        elif event in ("os.listdir", "os.scandir"):
            self._check(details[0], "r", 0)
        elif event == "sqlite3.connect":
            self._check(_file_of(details[0]), "r", 0)
        elif event in CHANGES:
            raise PermissionError(1, f"not allowed while reading ({event})")

    def _check(self, path: Any, mode: Any, flags: Any) -> None:
        if path is None or isinstance(path, int) or path == ":memory:":
            return
        name = os.fsdecode(path)
        writes = isinstance(mode, str) and bool(set(mode) & set("wax+"))
        if writes or (mode is None and isinstance(flags, int) and flags & WRITING):
            raise PermissionError(1, "writing is not allowed while reading", name)
        place = os.path.realpath(name)
        if not any(place == folder or place.startswith(folder.rstrip(os.sep) + os.sep) for folder in self._allowed):
            raise PermissionError(1, "outside the allowed folders", name)


def _file_of(database: Any) -> Any:
    """The file behind an argument of `sqlite3.connect`, which is a path or a URI."""
    name = os.fsdecode(database) if isinstance(database, (bytes, os.PathLike)) else str(database)
    return unquote(urlsplit(name).path) if name.startswith("file:") else name
