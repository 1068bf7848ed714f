"""Refuses what the layer does not handle before it happens, by an audit hook of Python."""

from __future__ import annotations

import os
import sys
from typing import Any

from ._tree import Tree

PROGRAMS = {"subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.spawn", "os.startfile", "pty.spawn",
            "os.forkpty"}  # fmt: skip
NETWORK = {"socket.connect", "socket.bind", "socket.sendto", "socket.sendmsg"}
SIGNALS = {"os.kill", "os.killpg", "signal.pthread_kill"}
# Events that change files, and how many of their first arguments are paths.
CHANGES = {"os.remove": 1, "os.rmdir": 1, "os.mkdir": 1, "os.chmod": 1, "os.chown": 1, "os.truncate": 1, "os.utime": 1,
           "os.setxattr": 1, "os.removexattr": 1, "os.rename": 2, "os.link": 2, "sqlite3.connect": 1}  # fmt: skip
WRITE_FLAGS = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC


class Refused(PermissionError):
    """The script tried something that an isolated run must not do."""


def refuse_the_rest(tree: Tree) -> None:
    """Install the audit hook for this process and its forks. It cannot be removed."""
    first = os.getpid()

    def hook(event: str, args: tuple[Any, ...]) -> None:
        if event == "open":
            path, _, flags = args
            if isinstance(path, (str, bytes)) and isinstance(flags, int) and flags & WRITE_FLAGS:
                _check(tree, event, path)
        elif event in CHANGES:
            for path in args[: CHANGES[event]]:
                if isinstance(path, (str, bytes, os.PathLike)):
                    _check(tree, event, path)
        elif event in PROGRAMS:
            raise Refused(1, f"isolated run: no other programs ({event})")
        elif event in NETWORK:
            _check_address(tree, event, args[1] if len(args) > 1 else None)
        elif event in SIGNALS and args and isinstance(args[0], int) and args[0] != os.getpid():
            _check_process(args[0], first)

    sys.addaudithook(hook)


def _check(tree: Tree, event: str, path: Any) -> None:
    text = os.fsdecode(path)
    if text == ":memory:" or (event == "sqlite3.connect" and text in ("", "file::memory:")):
        return
    place = os.path.normpath(os.path.join(tree.cwd or "/", text))
    if not tree.is_real(place):
        raise Refused(1, f"isolated run: {event} outside the layer", text)


def _check_address(tree: Tree, event: str, address: Any) -> None:
    """Allow only sockets in the folders of the run: workers of data loaders use them."""
    if address is None:
        return  # the socket is connected already
    if isinstance(address, (str, bytes)):
        text = os.fsdecode(address)
        if not text or (text.startswith("/") and tree.is_real(text)):
            return
    raise Refused(1, f"isolated run: no network ({event} {address!r})")


def _check_process(pid: int, first: int) -> None:
    """Allow only signals to processes of this run."""
    if pid in (0, -1) or abs(pid) == first:
        raise Refused(1, f"isolated run: no signal to process {pid}")
    try:
        with os.fdopen(os.open(f"/proc/{abs(pid)}/stat", os.O_RDONLY), "rb") as file:
            session = int(file.read().rpartition(b")")[2].split()[3])
    except (OSError, ValueError, IndexError):
        return
    if session != os.getsid(first):
        raise Refused(1, f"isolated run: no signal to process {pid}")
