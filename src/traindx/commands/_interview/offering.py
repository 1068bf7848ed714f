"""Offers to start one of the measurements at the end of the interview."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from ...consult.interview import State, consultation
from .screens import Leave, Screen


def offer(state: State, screen: Screen) -> int:
    """Run the command that the user chooses on the script that they name. Returns its exit code."""
    commands = [found.command for found in consultation(state).commands]
    if not commands:
        return 0
    verbs = [command.removeprefix("traindx ").split()[:-1] for command in commands]
    options = [(" ".join(verb), f"traindx {' '.join(verb)}") for verb in verbs]
    try:
        chosen = screen.choose("Shall I measure it now?", [*options, ("", "Not now")])
        if not chosen:
            return 0
        script = screen.line("Which script? (with its arguments; empty: none)")
    except (Leave, KeyboardInterrupt):
        return 0
    words = script.split()
    if not words:
        return 0
    if not Path(words[0]).is_file():
        screen.note(f"{words[0]} is not a file here. Later: traindx {chosen} {script}")
        return 0
    return subprocess.call([sys.executable, "-m", "traindx", *chosen.split(), *words])
