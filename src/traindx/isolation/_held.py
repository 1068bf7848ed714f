"""Checks from inside that an isolated process cannot leave its isolation, before any code of the user runs.

The process tries what would open the way out, and writes a canary file beside the script. An observer that sees the
real files tells it whether the canary reached them.
"""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from . import _libc as libc
from . import _seccomp
from ._mounts import within

SETS = ("CapInh", "CapAmb", "CapBnd")
PASSED, FAILED = b"+", b"-"


class NotHeld(OSError):
    """The isolation can be left. The message says what is open."""


def check_privileges(kept: tuple[int, ...] = (), bounded: bool = True) -> None:
    """Raise `NotHeld` unless this process has only the capabilities `kept`, and can get no others.

    `bounded`: the bounding set must be empty too. A process without privileges cannot empty it, and needs not: it can
    gain nothing through it (no_new_privs).
    """
    lines = Path("/proc/self/status").read_text().splitlines()
    status = {name: words.strip() for name, _, words in (line.partition(":") for line in lines)}
    mask = sum(1 << number for number in kept)
    wanted = {"CapPrm": mask, "CapEff": mask, **dict.fromkeys(SETS if bounded else SETS[:2], 0)}
    for name, number in wanted.items():
        if int(status.get(name, "0"), 16) != number:
            raise NotHeld(f"the isolated process still has capabilities ({name} is {status[name]})")
    if status.get("NoNewPrivs") != "1":
        raise NotHeld("programs of the isolated process could gain privileges")
    if not _seccomp.missing() and status.get("Seccomp") != "2":
        raise NotHeld("the isolated process has no filter of system calls")


def check_mounts() -> None:
    """Raise `NotHeld` if this process can make a namespace or change a mount."""
    for name, words in (
        ("unshare", (libc.CLONE_NEWUSER | libc.CLONE_NEWNS,)),
        ("mount", (b"none", b"/", None, libc.MS_BIND | libc.MS_REMOUNT, None)),
    ):
        try:
            libc.call(name, *words)
        except OSError:
            continue
        raise NotHeld(f"the isolated process may call {name}")


class Canary:
    """Two pipes between an isolated process and an observer outside its layers. Make it before the fork."""

    def __init__(self) -> None:
        self._from_cage, self._to_observer = os.pipe()
        self._from_observer, self._to_cage = os.pipe()

    def close(self) -> None:
        """In a process between the two."""
        for number in (self._from_cage, self._to_observer, self._from_observer, self._to_cage):
            os.close(number)

    def observe(self) -> None:
        """Outside: wait for the names of the canaries and tell whether any of them is real. Removes those that are."""
        os.close(self._to_observer)
        os.close(self._from_observer)
        with os.fdopen(self._from_cage, "rb") as names:
            line = names.readline()
        real = [path for path in json.loads(line or b"[]") if os.path.lexists(path)]
        for path in real:
            with suppress(OSError):
                os.unlink(path)
        with suppress(OSError), os.fdopen(self._to_cage, "wb") as answer:
            answer.write(FAILED if real else PASSED)

    def check(self, folders: Iterable[str], kept: Iterable[str]) -> None:
        """Inside: raise `NotHeld` if a file made in one of these folders is real. Writes below `kept` are."""
        os.close(self._from_cage)
        os.close(self._to_cage)
        made = []
        for folder in {*folders}:
            if not any(within(folder, real) for real in kept):
                path = os.path.join(folder, f".traindx-canary-{secrets.token_hex(8)}")
                with suppress(OSError):  # a folder that refuses is protected
                    os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
                    made.append(path)
        with os.fdopen(self._to_observer, "wb") as names:
            names.write(json.dumps(made).encode() + b"\n")
        with os.fdopen(self._from_observer, "rb") as answer:
            held = answer.read() == PASSED
        for path in made:
            with suppress(OSError):
                os.unlink(path)
        if not held:
            raise NotHeld("a file that was written in isolation is real")
