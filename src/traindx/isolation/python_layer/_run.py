"""Starts the layer, and ends everything that was started in it."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Sequence
from typing import Any

from .. import _libc as libc
from .. import _seccomp
from .._fence import fence
from .._held import check_privileges
from .._keeper import end_all, ended, memory_allowed, wait_for
from .._privileges import give_up
from ._files import Files
from ._libraries import redirect_libraries
from ._tree import Tree

SHORT = "/tmp"
SHARED_MEMORY = "/dev/shm"  # workers of data loaders pass their batches through it


def run_layered(work: Callable[[], int], kept: Sequence[str]) -> int:
    """Run `work` in a layer, and return its exit code. Nothing that it starts outlives it."""
    # The layer holds the sockets of data loader workers, whose paths must be short.
    short = sys.platform == "linux" and os.access(SHORT, os.W_OK)
    scratch = tempfile.mkdtemp(prefix="tdx-", dir=SHORT if short else kept[0])
    if sys.platform == "linux":
        libc.prctl(libc.PR_SET_CHILD_SUBREAPER, 1)  # orphaned descendants become children of this process
    worker = os.fork()
    if worker:
        code = wait_for(worker, memory_allowed())
        end_all()
        shutil.rmtree(scratch, ignore_errors=True)
        return code
    code = 1
    try:
        code = ended(lambda: _layered(work, scratch, kept))
    finally:
        os._exit(code)


def _layered(work: Callable[[], int], scratch: str, kept: Sequence[str]) -> int:
    from ...observe.importing import after_import

    sys.dont_write_bytecode = True
    for name in ("files", "tmp"):
        os.mkdir(f"{scratch}/{name}")
    os.environ["TMPDIR"] = tempfile.tempdir = f"{scratch}/tmp"
    if sys.platform == "linux":
        fence([*kept, scratch, *([SHARED_MEMORY] if os.path.isdir(SHARED_MEMORY) else [])])
        give_up()
        _seccomp.install(namespaces=False)
        check_privileges(bounded=False)
    else:
        os.setsid = _no_session  # type: ignore[assignment]  # a daemon could not be found and ended
    tree = Tree(scratch, kept)
    Files(tree).install()
    redirect_libraries(tree, after_import)
    refuse_the_rest(tree)
    return work()


def _no_session() -> None:
    raise PermissionError(1, "isolated run: no session of its own")


# ── what the layer does not handle is refused before it happens, by an audit hook of Python ───────

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
    # A file of /proc may stand for a real one: the interpreter (exe), or what was inherited (fd).
    if not tree.is_real(place) or (event in CHANGES and place.startswith("/proc/")):
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
