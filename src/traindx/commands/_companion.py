"""Starts the live server for `traindx run --live`, in a process that is not a child of the script's process.

A script may wait for all its children, and an unknown child would confuse it. So a short-lived process starts the
server, prints its address and ends before the script begins. Nothing in the script's process changes.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

SECONDS = 30.0
# Starts the server in its own session, so that Ctrl-C and a closed terminal reach only the script.
LAUNCH = """
import subprocess, sys
server = subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          start_new_session=True)
print(server.stdout.readline().decode().strip(), flush=True)
"""
# Like `python -m traindx`, but files in the working folder cannot replace modules.
SERVE = "import sys; sys.path[:] = filter(None, sys.path); from traindx.__main__ import main; sys.exit(main())"


def start_server(record: Path, hooks: Sequence[str]) -> str:
    """The address of the page; empty if no server could be started. The training runs in any case."""
    command = [sys.executable, "-c", SERVE, "live", str(record), "--until-end"]
    command += [word for hook in hooks for word in ("--on-alert", hook)]
    command += ["--open"] if _desktop() else []
    try:
        done = subprocess.run(
            [sys.executable, "-I", "-c", LAUNCH, *command],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=SECONDS,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.decode("utf-8", "replace").strip()


def _desktop() -> bool:
    """Whether this machine has a screen that the user can see."""
    if os.environ.get("SSH_CONNECTION") or not sys.stderr.isatty():
        return False
    return sys.platform in ("darwin", "win32") or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
