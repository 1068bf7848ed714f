"""Isolation by the Linux kernel: namespaces, and a layer over every writable file system, without privileges.

Privileges are needed only to build the layers. The process that runs the script has none left; a fork server
(`probes/fork_server`), which runs no code of the user, keeps them to give each of its forks layers of its own.

bubblewrap would not replace this. Its overlays are recent (0.11) and cannot be laid over folders with mounts below, it
starts programs and so gives no layers to a fork that has torch loaded, and the filter of system calls and the Landlock
mode would stay ours. It would be a second way beside this one, and delete only the namespaces (`_privileges`).
"""

from __future__ import annotations

import builtins
import errno
import io
import os
import pathlib
import shutil
import signal
import stat
import sys
import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from . import _libc as libc
from . import _privileges, _seccomp
from ._held import Canary, check_mounts, check_privileges
from ._keeper import ended, memory_allowed, wait_for
from ._layers import LayerError, enter_layers, own_inputs, return_to, working_folder
from ._mounts import writable_places
from ._state import CANNOT_ISOLATE


class _Cage:
    """What a script gets: layers, and no privileges. Made before the namespaces are entered."""

    def __init__(self, words: Sequence[str]) -> None:
        self._places = writable_places(words)
        named = [path for path in words if os.path.exists(path)]
        folders = [path if os.path.isdir(path) else os.path.dirname(path) for path in map(os.path.realpath, named)]
        with suppress(OSError):
            folders.append(os.getcwd())
        self._folders = folders
        self._capabilities = _privileges.needed([*named, *folders])

    def build(self, kept: Sequence[str]) -> None:
        enter_layers(kept, self._places, memory_allowed() // 2)

    def locked(self, kept: Sequence[str], canary: Canary) -> bool:
        """Give up every privilege for good. False, with a message, if this process can still leave."""
        try:
            _privileges.give_up(self._capabilities)
            own_inputs()
            libc.prctl(libc.PR_SET_DUMPABLE, 1)  # its own files in /proc belong to it again
            _seccomp.install(namespaces=True)
            check_privileges(self._capabilities)
            check_mounts()
            canary.check(self._folders, kept)
        except OSError as error:
            _refused(error)
            return False
        close_gaps()
        return True


_cage: _Cage | None = None  # of the forks of a fork server
_outside = -1  # a descriptor of the mount namespace without layers, for a fork server


def guard_program(words: list[str]) -> int:
    """Become the same program once more, through a read-only mount of its file, in a user namespace.

    A process reaches the file that it was started from as /proc/self/exe, whatever its root folder is: without this, a
    script could change the mode of the real interpreter. Returns only if that fails.
    """
    program = os.readlink("/proc/self/exe")
    try:
        _privileges.enter_user_namespace()
        libc.mount("none", "/", "", libc.MS_REC | libc.MS_PRIVATE)
        libc.mount(program, program, "", libc.MS_BIND)
        libc.make_read_only(program)
        _privileges.keep_over_exec()
        os.execv(sys.executable, words)
    except OSError as error:
        return _refused(error)


def run_isolated(work: Callable[[], int], kept: Sequence[str], words: Sequence[str], server: bool) -> int:
    """Run `work` in its own namespaces and layers, and return its exit code. Nothing that it starts outlives it.

    A `server` runs no code of the user. It keeps its privileges, for `fork_with_layer`.
    """
    global _cage
    parent = os.getppid()
    cage = _cage = _Cage(words)
    memory = memory_allowed()
    try:
        _privileges.enter_namespaces()
    except OSError as error:
        return _refused(error)
    libc.prctl(libc.PR_SET_DUMPABLE, 0)  # no isolated process may look at one that sees the real files
    libc.end_with_parent(parent)
    sys.stdout.flush()
    canary = None if server else Canary()
    first = os.fork()
    if first:
        if canary is not None:
            canary.observe()
        return os.waitstatus_to_exitcode(os.waitpid(first, 0)[1]) & 0xFF
    libc.prctl(libc.PR_SET_PDEATHSIG, signal.SIGKILL)
    code = 1
    try:
        code = _first_process(work, cage, kept, memory, canary)
    finally:
        os._exit(code)  # ends every process of the namespace


def _first_process(
    work: Callable[[], int], cage: _Cage, kept: Sequence[str], memory: int, canary: Canary | None
) -> int:
    global _outside
    try:
        if canary is None:
            libc.unshare(libc.CLONE_NEWNS)
            _outside = os.open("/proc/self/ns/mnt", os.O_RDONLY)
        cage.build(kept)
    except (OSError, LayerError) as error:
        return _refused(error)
    worker = os.fork()
    if worker:
        if canary is not None:
            canary.close()
        return wait_for(worker, memory)
    code = CANNOT_ISOLATE
    try:
        if canary is None or cage.locked(kept, canary):
            code = ended(work)
    finally:
        os._exit(code)


def fork_with_layer(kept: Sequence[str]) -> int:
    """Fork a server. Returns the child's id, and 0 in the child, which has layers of its own and no privileges.

    A child that cannot be isolated ends with the exit code CANNOT_ISOLATE.
    """
    child = os.fork()
    if child:
        return child
    isolated = False
    try:
        isolated = _leave_for_own_layers(kept)
    finally:
        if not isolated:
            os._exit(CANNOT_ISOLATE)
    return 0


def _leave_for_own_layers(kept: Sequence[str]) -> bool:
    assert _cage is not None
    folder = working_folder()
    try:
        libc.call("setns", _outside, libc.CLONE_NEWNS)
        os.close(_outside)
        return_to(folder)
        canary = Canary()
        observer = os.fork()
        if not observer:
            canary.observe()
            os._exit(0)
        _cage.build(kept)
        locked = _cage.locked(kept, canary)
        os.waitpid(observer, 0)
        return locked
    except (OSError, LayerError) as error:
        _refused(error)
        return False


def _refused(error: Exception) -> int:
    print(f"isolation refused: {error}", file=sys.stderr)
    return CANNOT_ISOLATE


# ── `rename`, `replace` and `open` where an overlay fails, so that a script does not fail only in isolation ─────────
#
# An overlay cannot rename folders of its lower layer, nothing can be renamed from one layer to another (each top folder
# has its own), and a file whose owner or group is unknown in the user namespace cannot be changed in place. Here these
# operations copy instead. That is harmless, because they only write to the layer.

_rename, _replace, _open, _open_file = os.rename, os.replace, os.open, io.open


def close_gaps() -> None:
    for name, function in (("rename", _copying(_rename)), ("replace", _copying(_replace)), ("open", _opened)):
        setattr(os, name, function)
        accessor = getattr(pathlib, "_NormalAccessor", None)  # of Python 3.10, which keeps its own references
        if accessor is not None and name != "open":
            setattr(accessor, name, staticmethod(function))
    builtins.open = io.open = _opened_file


def _copying(own: Callable[..., None]) -> Callable[..., None]:
    def rename(src: Any, dst: Any, **at: Any) -> None:
        try:
            own(src, dst, **at)
        except OSError as error:
            if error.errno != errno.EXDEV or at:
                raise
            _move(src, dst)

    return rename


def _move(src: Any, dst: Any) -> None:
    """Do what a rename does: a folder can replace only an empty folder, a file replaces a file."""
    if stat.S_ISDIR(os.lstat(src).st_mode):
        if os.path.isdir(dst):
            os.rmdir(dst)
        shutil.copytree(src, dst, symlinks=True)
        shutil.rmtree(src)
        return
    beside = tempfile.mktemp(dir=os.path.dirname(os.path.abspath(os.fsdecode(dst))))
    shutil.copy2(src, beside, follow_symlinks=False)
    _replace(beside, dst)
    os.unlink(src)


def _opened(path: Any, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
    try:
        return _open(path, flags, mode, dir_fd=dir_fd)
    except OSError as error:
        if error.errno != errno.EOVERFLOW or dir_fd is not None or not _own_copy(path):
            raise
    return _open(path, flags, mode)


def _opened_file(file: Any, *args: Any, **options: Any) -> Any:
    try:
        return _open_file(file, *args, **options)
    except OSError as error:
        if error.errno != errno.EOVERFLOW or isinstance(file, int) or not _own_copy(file):
            raise
    return _open_file(file, *args, **options)


def _own_copy(path: Any) -> bool:
    """Replace the file by a copy that belongs to this user. Return whether that worked."""
    real = os.path.realpath(os.fsdecode(path))
    if not os.access(real, os.W_OK):
        return False
    beside = tempfile.mktemp(dir=os.path.dirname(real))
    try:
        shutil.copyfile(real, beside)
        shutil.copymode(real, beside)
        _replace(beside, real)
    except OSError:
        return False
    return True
