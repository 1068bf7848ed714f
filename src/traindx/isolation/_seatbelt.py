"""Seatbelt: makes macOS refuse a process and its children everything that a profile does not allow."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

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


def missing() -> str:
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
