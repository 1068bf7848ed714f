"""Landlock: makes the Linux kernel refuse this process and its children everything that is not allowed here."""

from __future__ import annotations

import ctypes
import os
import struct
import sys
from collections.abc import Sequence
from contextlib import suppress

from . import _libc as libc

VERSION = 1  # flag: ask for the kernel's ABI version
RULE_PATH_BENEATH = 1
READING = 0b1101  # EXECUTE, READ_FILE, READ_DIR
ALL_OF_ABI = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 4: (1 << 15) - 1}  # later versions add ioctl
CONNECT_BIND = 0b11
SCOPED = 0b11  # abstract unix sockets, signals
WRITE_FILE, TRUNCATE = 1 << 1, 1 << 14
DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty")


def abi() -> int:
    """Return the ABI version of Landlock; 0 if the kernel has none."""
    try:
        return libc.syscall(libc.LANDLOCK_CREATE_RULESET, 0, 0, VERSION)
    except (OSError, AttributeError):
        return 0


def missing() -> str:
    """Return why Landlock cannot be used, or "" if it can."""
    return "" if sys.platform == "linux" and abi() > 0 else "no Landlock in this kernel"


def fence(writable: Sequence[str]) -> None:
    """Allow this process only to read, and to write below these folders: no TCP, no signals to other processes."""
    version = abi()
    files = ALL_OF_ABI[min(version, 4)]
    network = CONNECT_BIND if version >= 4 else 0
    scoped = SCOPED if version >= 6 else 0
    size = 8 if version < 4 else 16 if version < 6 else 24
    attributes = struct.pack("=QQQ", files, network, scoped)[:size]
    rules = libc.syscall(libc.LANDLOCK_CREATE_RULESET, ctypes.c_char_p(attributes), size, 0)
    _allow(rules, "/", READING)
    for folder in writable:
        _allow(rules, folder, files)
    for device in DEVICES:
        with suppress(OSError):
            _allow(rules, device, READING & 0b100 | WRITE_FILE | (files & TRUNCATE))
    libc.prctl(libc.PR_SET_NO_NEW_PRIVS, 1)
    libc.syscall(libc.LANDLOCK_RESTRICT_SELF, rules, 0)
    os.close(rules)


def _allow(rules: int, path: str, access: int) -> None:
    opened = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        rule = struct.pack("=Qi", access, opened)
        libc.syscall(libc.LANDLOCK_ADD_RULE, rules, RULE_PATH_BENEATH, ctypes.c_char_p(rule), 0)
    finally:
        os.close(opened)
