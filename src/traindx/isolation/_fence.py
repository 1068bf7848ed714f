"""Makes the system refuse a process every write outside some folders: Landlock on Linux, Seatbelt on macOS."""

from __future__ import annotations

import ctypes
import os
import struct
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from . import _libc as libc
from ._mounts import ACCELERATORS, DEVICES

# ── Landlock ──────────────────────────────────────────────────────────────────────────────────────

VERSION = 1  # flag: ask for the kernel's ABI version
RULE_PATH_BENEATH = 1
READING, READ_FOLDERS = 0b1101, 0b1000  # EXECUTE, READ_FILE, READ_DIR
ALL_OF_ABI = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 4: (1 << 15) - 1}  # later versions add ioctl
CONNECT_BIND = 0b11
SCOPED = 0b11  # abstract unix sockets, signals
WRITE_FILE, TRUNCATE = 1 << 1, 1 << 14


def abi() -> int:
    """Return the ABI version of Landlock; 0 if the kernel has none."""
    try:
        return libc.syscall(libc.LANDLOCK_CREATE_RULESET, 0, 0, VERSION)
    except (OSError, AttributeError):
        return 0


def without_landlock() -> str:
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
    _allow(rules, "/", READ_FOLDERS)
    for name in os.listdir("/"):
        if name != "dev":  # no disks
            with suppress(OSError):
                _allow(rules, f"/{name}", READING if os.path.isdir(f"/{name}") else READING & ~READ_FOLDERS)
    for folder in writable:
        _allow(rules, folder, files)
    for name in os.listdir("/dev"):
        if name in DEVICES or name.startswith(ACCELERATORS):
            with suppress(OSError):
                of_folders = READ_FOLDERS if os.path.isdir(f"/dev/{name}") else 0
                _allow(rules, f"/dev/{name}", READING & 0b100 | WRITE_FILE | (files & TRUNCATE) | of_folders)
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


# ── Seatbelt ──────────────────────────────────────────────────────────────────────────────────────

PROGRAM = "/usr/bin/sandbox-exec"


def fenced(command: Sequence[str], writable: Sequence[str]) -> list[str]:
    """Return the command under a profile: read everything, write only below these folders, no network."""
    folders = " ".join(f"(subpath {_quoted(folder)})" for folder in writable)
    devices = '(literal "/dev/null") (literal "/dev/tty") (literal "/dev/zero")'
    profile = (
        "(version 1)(allow default)(deny network*)(allow network* (local unix-socket) (remote unix-socket))"
        f"(deny file-write*)(allow file-write* {folders} {devices})"
    )
    return [PROGRAM, "-p", profile, *command]


def without_seatbelt() -> str:
    """Return why Seatbelt cannot be used, or "" if it refuses a write outside the allowed folders."""
    if sys.platform != "darwin" or not Path(PROGRAM).exists():
        return "no Seatbelt on this system"
    with tempfile.TemporaryDirectory() as folder:
        inner, outer = Path(folder, "inner"), Path(folder, "outer").resolve()
        inner.mkdir()
        script = f"echo x > {inner.resolve()}/y && ! echo x > {outer}"
        done = subprocess.run(fenced(["/bin/sh", "-c", script], [str(inner.resolve())]), capture_output=True)
        held = done.returncode == 0 and (inner / "y").exists() and not outer.exists()
    return "" if held else "Seatbelt does not stop writes"


def _quoted(path: str) -> str:
    return '"' + path.replace("\\", "\\\\").replace('"', '\\"') + '"'
