"""The live server beside `traindx run`: a process of its own that is no child of the script's process.

A script may wait for any of its children, and a child that it does not know would confuse it. So a short-lived process
starts the server, hands its address over and is gone before the script begins. Nothing in the script's process changes.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

SECONDS = 30.0
# Starts the server in a session of its own, so that Ctrl-C and a closed terminal reach the script alone.
LAUNCH = """
import subprocess, sys
server = subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          start_new_session=True)
print(server.stdout.readline().decode().strip(), flush=True)
"""
# As `python -m traindx`, but files of the working folder cannot take the place of modules.
SERVE = "import sys; sys.path[:] = filter(None, sys.path); from traindx.__main__ import main; sys.exit(main())"


def start_server(record: Path, hooks: Sequence[str]) -> str:
    """The address of the page; empty where no server could be started, which is no reason not to train."""
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
    """Whether somebody sits in front of a screen on this machine."""
    if os.environ.get("SSH_CONNECTION") or not sys.stderr.isatty():
        return False
    return sys.platform in ("darwin", "win32") or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
