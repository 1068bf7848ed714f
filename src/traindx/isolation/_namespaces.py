"""Gives a process its own namespaces: users, mounts, processes, network and System V shared memory."""

from __future__ import annotations

import fcntl
import os
import socket
import struct
from pathlib import Path

from . import _libc as libc

ALL = libc.CLONE_NEWUSER | libc.CLONE_NEWNS | libc.CLONE_NEWPID | libc.CLONE_NEWNET | libc.CLONE_NEWIPC
SIOCSIFFLAGS, IFF_UP_RUNNING = 0x8914, 0x41


def enter_namespaces() -> None:
    """Leave the namespaces of this machine. The next child is the first process of the new ones.

    User ids stay the same. Root can map all ids. An ordinary user can map only its own, so the files of other users
    appear to belong to nobody.
    """
    uid, gid = os.geteuid(), os.getegid()
    maps = {name: _identity(Path(f"/proc/self/{name}").read_text()) for name in ("uid_map", "gid_map")}
    done, waiter = _map_writer(maps) if uid == 0 else (None, None)
    libc.unshare(ALL)
    if done is not None and waiter is not None:
        os.write(done, b"x")
        os.close(done)
        if os.waitpid(waiter, 0)[1] == 0:
            return _loopback_up()
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"{uid} {uid} 1")
    Path("/proc/self/gid_map").write_text(f"{gid} {gid} 1")
    return _loopback_up()


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
