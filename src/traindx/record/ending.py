"""How a run ended that could not say so itself: a signal killed it, or it vanished.

Beside the record of a run in progress lies a companion, `RUN.tdx-exit`, in which the interpreter's fault handler leaves
its last words when a signal ends the process. A process that nothing can warn (SIGKILL) is known by its heartbeat.
"""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

COMPANION = "-exit"
HEARTBEAT_SECONDS = 5.0  # between two heartbeats
STALE_SECONDS = 60.0  # without one: a long operation may keep the writing thread waiting

_MOST = 1 << 16  # bytes of last words that are read
# The fault handler names the signal only where the interpreter itself failed. For the other two, one thread is written
# down for SIGTERM and all of them for SIGHUP, which tells them apart.
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
    """The facts of a record, with `exit` (and `error`, after a native crash) where the run could not write them."""
    if "exit" in facts or "started" not in facts:
        return facts
    words = _last_words(Path(path + COMPANION))
    if words:
        return {**facts, **_told(words)}
    heard = facts.get("heartbeat")
    if isinstance(heard, (int, float)) and time.time() - heard > STALE_SECONDS:
        return {**facts, "exit": "killed", "ended": heard}
    return facts


def _last_words(companion: Path) -> str:
    try:
        with companion.open("rb") as file:
            return file.read(_MOST).decode("utf-8", "replace")
    except OSError:
        return ""


def _told(words: str) -> dict[str, Any]:
    fatal = re.search(r"Fatal Python error: ([^\n]*)", words)
    if fatal is None:
        return {"exit": f"signal {'SIGHUP' if 'Current thread' in words else 'SIGTERM'}"}
    name = _FATAL.get(fatal[1].strip(), fatal[1].strip()[:60])
    frames = [(file, int(line), function) for file, line, function in _FRAME.findall(words)]
    own = [frame for frame in frames if not any(part in frame[0] for part in _INSTALLED)]
    site = {"file": own[0][0], "line": own[0][1], "text": "", "function": own[0][2]} if own else None
    inside = f" in {frames[0][2]}()" if frames else ""
    error = {"type": name, "message": f"{fatal[1].strip()}{inside}", "site": site, "native": True}
    return {"exit": f"signal {name}", "error": error}
