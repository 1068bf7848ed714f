"""Finds how a run ended that could not record its end: a signal killed it, or it disappeared.

While a run is in progress, the file `RUN.tdx-exit` lies beside its record. Python's fault handler writes a traceback to
it when a signal ends the process. A process killed by SIGKILL cannot write anything; its old heartbeat shows it.
"""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

COMPANION = "-exit"
HEARTBEAT_SECONDS = 5.0  # between two heartbeats
STALE_SECONDS = 60.0  # without a heartbeat; a long operation may keep the writing thread waiting

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
    traceback = _traceback(Path(path + COMPANION))
    if traceback:
        return {**facts, **_exit_of(traceback)}
    heartbeat = facts.get("heartbeat")
    if isinstance(heartbeat, (int, float)) and time.time() - heartbeat > STALE_SECONDS:
        return {**facts, "exit": "killed", "ended": heartbeat}
    return facts


def _traceback(companion: Path) -> str:
    try:
        with companion.open("rb") as file:
            return file.read(_MOST).decode("utf-8", "replace")
    except OSError:
        return ""


def _exit_of(traceback: str) -> dict[str, Any]:
    fatal = re.search(r"Fatal Python error: ([^\n]*)", traceback)
    if fatal is None:
        return {"exit": f"signal {'SIGHUP' if 'Current thread' in traceback else 'SIGTERM'}"}
    name = _FATAL.get(fatal[1].strip(), fatal[1].strip()[:60])
    frames = [(file, int(line), function) for file, line, function in _FRAME.findall(traceback)]
    own = [frame for frame in frames if not any(part in frame[0] for part in _INSTALLED)]
    site = {"file": own[0][0], "line": own[0][1], "text": "", "function": own[0][2]} if own else None
    inside = f" in {frames[0][2]}()" if frames else ""
    error = {"type": name, "message": f"{fatal[1].strip()}{inside}", "site": site, "native": True}
    return {"exit": f"signal {name}", "error": error}
