"""How a run ended that could not record its end: the file `RUN.tdx-exit` beside a record, and what it tells."""

from __future__ import annotations

import hashlib
import os
import platform
import re
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any

# ── the file beside the record ────────────────────────────────────────────────────────────────────
#
# The process that writes the record holds a lock on it, which the system takes away when the process ends, however it
# ends. Python's fault handler can write a traceback into it.

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

SUFFIX = "-exit"
# Of our own descriptors, where the system allows that many: a script that opens its first file gets the number that it
# gets without us.
LOWEST = 100
_TRIES = 3  # a reader may be asking just now


class Companion:
    """There from the start of a run until `remove()`. Never raises: a run without one is known by its heartbeat."""

    def __init__(self, record: Path) -> None:
        self._path = record.with_name(record.name + SUFFIX)
        self._ours = True
        self.descriptor: int | None = None
        with suppress(OSError, ValueError):
            self._path.unlink(missing_ok=True)
            self.descriptor = moved_up(os.open(self._path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_APPEND, 0o600))
            for _ in range(_TRIES if fcntl is not None else 0):
                with suppress(BlockingIOError):
                    fcntl.flock(self.descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break

    def abandon(self) -> None:
        """In a forked child, such as a loader's worker: its end is not the run's, and it must not keep the lock."""
        self._ours = False
        self._hush()

    def remove(self) -> None:
        """The run has said itself how it ended."""
        if self._ours:
            with suppress(OSError):
                self._path.unlink(missing_ok=True)
            self._hush()

    def _hush(self) -> None:
        # The fault handler may know the number of the descriptor, so that stays open, and leads nowhere.
        if self.descriptor is not None:
            with suppress(OSError):
                nothing = os.open(os.devnull, os.O_WRONLY)
                os.dup2(nothing, self.descriptor, inheritable=False)
                os.close(nothing)


def held(companion: Path) -> bool | None:
    """Whether the process that writes the record still lives; None where the file or the system cannot tell."""
    if fcntl is None:
        return None
    try:
        with companion.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return None
    return False


def moved_up(descriptor: int) -> int:
    """The same open file under a high number, if there is one; a child process does not inherit it."""
    if fcntl is None:
        return descriptor
    try:
        moved: int = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, LOWEST)
    except OSError:
        return descriptor
    os.close(descriptor)
    return moved


@contextmanager
def low_numbers_taken() -> Iterator[None]:
    """What a library opens meanwhile gets a high number."""
    taken: list[int] = []
    try:
        while not taken or taken[-1] < LOWEST:
            taken.append(os.open(os.devnull, os.O_RDONLY))
    except OSError:  # the process may not have that many
        _close(taken)
    try:
        yield
    finally:
        _close(taken)


def _close(descriptors: list[int]) -> None:
    while descriptors:
        os.close(descriptors.pop())


# ── what it tells ─────────────────────────────────────────────────────────────────────────────────

HEARTBEAT_SECONDS = 5.0  # between two heartbeats, while something is observed
STALE_SECONDS = 60.0  # without a heartbeat, where nothing else tells

_monotonic = time.monotonic  # a script may replace it
_MOST = 1 << 16  # bytes of the traceback that are read
# The fault handler names only fatal signals. The observer makes it write one thread for SIGTERM and all threads for
# SIGHUP, which distinguishes these two.
_FATAL = {
    "Segmentation fault": "SIGSEGV",
    "Floating-point exception": "SIGFPE",
    "Floating point exception": "SIGFPE",
    "Aborted": "SIGABRT",
    "Bus error": "SIGBUS",
    "Illegal instruction": "SIGILL",
}
_FRAME = re.compile(r'^  File "(.*)", line (\d+) in (.*)$', re.MULTILINE)
_INSTALLED = ("/site-packages/", "/dist-packages/", "/lib/python", "<frozen", "/traindx/")


def with_ending(facts: Mapping[str, Any], path: str) -> Mapping[str, Any]:
    """Add `exit` (and `error`, after a native crash) to the facts if the run could not write them."""
    if "exit" in facts or "started" not in facts:
        return facts
    companion = Path(path + SUFFIX)
    traceback = _traceback(companion)
    if traceback:
        return {**facts, **_exit_of(traceback)}
    heartbeat = facts.get("heartbeat")
    alive = held(companion)
    if alive is None:
        alive = _fresh(facts)
    return facts if alive else {**facts, "exit": "killed", **({"ended": heartbeat} if heartbeat else {})}


def pulse() -> dict[str, Any]:
    """Return a moment by a clock that nobody sets, and which clock that is."""
    return {"clock": _clock(), "seconds": _monotonic()}


def _fresh(facts: Mapping[str, Any]) -> bool:
    """Whether the last heartbeat is recent. A run without one may still be about to begin."""
    at = facts.get("pulse")
    seconds = at.get("seconds") if isinstance(at, Mapping) and at.get("clock") == _clock() else None
    if isinstance(seconds, (int, float)):
        return 0 <= _monotonic() - seconds <= STALE_SECONDS  # below zero: the machine has started anew
    heartbeat = facts.get("heartbeat")  # of another machine
    return not isinstance(heartbeat, (int, float)) or time.time() - heartbeat <= STALE_SECONDS


@cache
def _clock() -> str:
    """A name for this machine's clock; where the system tells, only for the time since its last start."""
    try:
        name = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii")
    except (OSError, ValueError):
        name = platform.node()
    return hashlib.sha256(f"traindx {name}".encode()).hexdigest()[:16]


def _traceback(companion: Path) -> str:
    try:
        with companion.open("rb") as file:
            return file.read(_MOST).decode("utf-8", "replace")
    except OSError:
        return ""


def _exit_of(traceback: str) -> dict[str, Any]:
    fatal = re.search(r"Fatal Python error: ([^\n]*)", traceback)
    frames = [(file, int(line), function) for file, line, function in _FRAME.findall(traceback)]
    own = [frame for frame in frames if not any(part in frame[0] for part in _INSTALLED)]
    site = {"file": own[0][0], "line": own[0][1], "text": "", "function": own[0][2]} if own else None
    if fatal is None:
        name = "SIGHUP" if "Current thread" in traceback else "SIGTERM"
        at = {"site": site, "inside": frames[0][2] if frames else None}
        return {"exit": f"signal {name}", **({"stopped_at": at} if name == "SIGTERM" else {})}
    name = _FATAL.get(fatal[1].strip(), fatal[1].strip()[:60])
    inside = f" in {frames[0][2]}()" if frames else ""
    error = {"type": name, "message": f"{fatal[1].strip()}{inside}", "site": site, "native": True}
    return {"exit": f"signal {name}", "error": error}
