"""Gives a process its own namespaces, and gives up its capabilities for good."""

from __future__ import annotations

import ctypes
import fcntl
import os
import socket
import struct
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from . import _libc as libc

# ── its own users, mounts, processes, network, host name and System V shared memory ───────────────
#
# `_layers` makes the mounts. No further user namespaces can be made inside the one of users.

USERS = libc.CLONE_NEWUSER | libc.CLONE_NEWNS
OTHERS = libc.CLONE_NEWPID | libc.CLONE_NEWNET | libc.CLONE_NEWIPC | libc.CLONE_NEWUTS
MOST_USER_NAMESPACES = Path("/proc/sys/user/max_user_namespaces")  # inside the one of the process that writes
SIOCSIFFLAGS, IFF_UP_RUNNING = 0x8914, 0x41


def enter_user_namespace() -> None:
    """Leave the users and the mounts of this machine, with every privilege over copies of them.

    User ids stay the same. Root can map all ids. An ordinary user can map only its own, so the files of other users
    appear to belong to nobody.
    """
    uid, gid = os.geteuid(), os.getegid()
    maps = {name: _identity(Path(f"/proc/self/{name}").read_text()) for name in ("uid_map", "gid_map")}
    done, waiter = _map_writer(maps) if uid == 0 else (None, None)
    libc.unshare(USERS)
    if done is not None and waiter is not None:
        os.write(done, b"x")
        os.close(done)
        if os.waitpid(waiter, 0)[1] == 0:
            return
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"{uid} {uid} 1")
    Path("/proc/self/gid_map").write_text(f"{gid} {gid} 1")


def enter_namespaces() -> None:
    """Leave the other namespaces. The next child is the first process of the new ones."""
    libc.unshare(OTHERS)
    with suppress(OSError):  # where /proc/sys is read-only, the filter of system calls does the same
        MOST_USER_NAMESPACES.write_text("0")
    _loopback_up()


def _identity(known: str) -> str:
    """Return a map of every known id to itself."""
    return "\n".join(f"{first} {first} {count}" for first, _, count in (line.split() for line in known.splitlines()))


def _map_writer(maps: dict[str, str]) -> tuple[int, int]:
    """Start a child that stays outside and maps all users, which root may do only there.

    Returns a pipe and the child's id. The child writes the maps when it reads a byte from the pipe.
    """
    owner = os.getpid()
    reader, writer = os.pipe()
    child = os.fork()
    if child:
        os.close(reader)
        return writer, child
    code = 1
    try:
        os.close(writer)
        if os.read(reader, 1):
            for name, text in maps.items():
                Path(f"/proc/{owner}/{name}").write_text(text)
            code = 0
    finally:
        os._exit(code)


def _loopback_up() -> None:
    """Switch the loopback device on: some libraries connect their own processes through it."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, SIOCSIFFLAGS, struct.pack("16sH14x", b"lo", IFF_UP_RUNNING))


# ── no capabilities ───────────────────────────────────────────────────────────────────────────────
#
# Gives up the capabilities of a process for good, so that nothing it runs can change mounts or namespaces.

CHOWN, DAC_OVERRIDE, FOWNER, FSETID = 0, 1, 3, 4
# NOROOT, NO_SETUID_FIXUP, KEEP_CAPS (off) and NO_CAP_AMBIENT_RAISE, each with its lock.
LOCKED_BITS = 0b1110_1111
VERSION_3 = 0x20080522


class _Header(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int))


def needed(paths: Iterable[str]) -> tuple[int, ...]:
    """Return what root needs to use the files of other users as usual. It needs nothing where all files are root's.

    These capabilities act on layers and read-only mounts only. `paths` are the script, its arguments and its folder.
    """
    if os.geteuid() != 0:
        return ()
    for path in paths:
        with suppress(OSError):
            if os.stat(path).st_uid != 0:
                return (CHOWN, DAC_OVERRIDE, FOWNER, FSETID)
    return ()


def keep_over_exec() -> None:
    """Let the next program that this process becomes have its privileges, also where the user is not root."""
    last = int(Path("/proc/sys/kernel/cap_last_cap").read_text())
    data = (ctypes.c_uint32 * 6)(*[0xFFFFFFFF] * 3, *[(1 << (last - 31)) - 1] * 3)
    libc.call("capset", ctypes.byref(_Header(VERSION_3, 0)), ctypes.byref(data))
    for number in range(last + 1):
        libc.prctl(libc.PR_CAP_AMBIENT, libc.PR_CAP_AMBIENT_RAISE, number)


def give_up(kept: tuple[int, ...] = ()) -> None:
    """Empty every set of capabilities. `kept` stay effective here, but no program that is started gets them.

    The steps before the last need a privilege of their own; `_held` checks the result.
    """
    libc.prctl(libc.PR_SET_NO_NEW_PRIVS, 1)
    with suppress(OSError):
        libc.prctl(libc.PR_CAP_AMBIENT, libc.PR_CAP_AMBIENT_CLEAR_ALL)
        libc.prctl(libc.PR_SET_SECUREBITS, LOCKED_BITS)
        for number in range(64):
            libc.prctl(libc.PR_CAPBSET_DROP, number)  # fails at the first number that the kernel does not know
    mask = sum(1 << number for number in kept)
    data = (ctypes.c_uint32 * 6)(mask, mask, 0, 0, 0, 0)  # effective, permitted, inheritable; numbers from 32
    libc.call("capset", ctypes.byref(_Header(VERSION_3, 0)), ctypes.byref(data))
