"""Linux system calls that Python 3.10 does not wrap, called with ctypes. Each raises `OSError` with its name."""

from __future__ import annotations

import ctypes
import os
import platform
import signal
from functools import cache
from typing import Any

CLONE_NEWNS, CLONE_NEWIPC, CLONE_NEWUSER = 0x00020000, 0x08000000, 0x10000000
CLONE_NEWPID, CLONE_NEWNET, CLONE_NEWUTS = 0x20000000, 0x40000000, 0x04000000

MS_NOSUID, MS_NODEV, MS_NOEXEC = 2, 4, 8
MS_REMOUNT, MS_BIND, MS_REC, MS_PRIVATE = 32, 4096, 16384, 1 << 18
MNT_DETACH = 2
AT_FDCWD, AT_RECURSIVE = -100, 0x8000
ATTR_RDONLY, ATTR_NOSUID, ATTR_NODEV = 1, 2, 4

PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_SECCOMP, PR_CAPBSET_DROP, PR_SET_SECUREBITS = 1, 4, 22, 24, 28
PR_SET_CHILD_SUBREAPER, PR_SET_NO_NEW_PRIVS, PR_CAP_AMBIENT = 36, 38, 47
PR_CAP_AMBIENT_RAISE, PR_CAP_AMBIENT_CLEAR_ALL = 2, 4

# The number of this call differs between architectures. Calls since Linux 5.1 have the same number everywhere.
PIVOT_ROOT = {"x86_64": 155, "aarch64": 41, "riscv64": 41, "ppc64le": 203, "s390x": 217}
MOUNT_SETATTR = 442
LANDLOCK_CREATE_RULESET, LANDLOCK_ADD_RULE, LANDLOCK_RESTRICT_SELF = 444, 445, 446


@cache
def libc() -> Any:
    return ctypes.CDLL(None, use_errno=True)


def call(name: str, *words: Any) -> int:
    """Call a function of the C library with integers, bytes or buffers."""
    result = getattr(libc(), name)(*(_argument(word) for word in words))
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")
    return int(result)


def syscall(number: int, *words: Any) -> int:
    return call("syscall", number, *words)


def _argument(word: Any) -> Any:
    return ctypes.c_long(word) if isinstance(word, int) else word


def mount(source: str, target: str, kind: str = "", flags: int = 0, options: str = "") -> None:
    call("mount", os.fsencode(source), os.fsencode(target), kind.encode(), flags, os.fsencode(options) or None)


def unmount(target: str, flags: int = 0) -> None:
    call("umount2", os.fsencode(target), flags)


def pivot_root(new: str, old: str) -> None:
    number = PIVOT_ROOT.get(platform.machine())
    if number is None:
        raise OSError(38, f"pivot_root: number unknown on {platform.machine()}")
    syscall(number, os.fsencode(new), os.fsencode(old))


def unshare(flags: int) -> None:
    call("unshare", flags)


def prctl(option: int, value: Any, more: Any = 0) -> None:
    call("prctl", option, value, more, 0, 0)


def end_with_parent(parent: int) -> None:
    """Let the kernel kill this process when its parent ends; kill it now if the parent has ended already.

    Call this again after a change of privileges, because the kernel then resets the setting.
    """
    prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os.kill(os.getpid(), signal.SIGKILL)


def make_read_only(path: str) -> None:
    add_attributes(path, ATTR_RDONLY)


def add_attributes(path: str, added: int) -> None:
    """Give the mount at `path` and all mounts below it these attributes as well."""
    attributes = (ctypes.c_uint64 * 4)(added, 0, 0, 0)
    size = ctypes.sizeof(attributes)
    syscall(MOUNT_SETATTR, AT_FDCWD, os.fsencode(path), AT_RECURSIVE, ctypes.byref(attributes), size)
