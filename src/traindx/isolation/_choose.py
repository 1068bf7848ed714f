"""Finds which isolation works on this system by trying it before any code of the user runs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

from ..starting import python_command
from . import _landlock, _seatbelt
from ._touches import what_it_touches

Mode = Literal["kernel", "python", "off"]
SWITCH = "TRAINDX_ISOLATION"  # for tests: one of the modes, or `none` to act like a system without isolation


class IsolationError(Exception):
    """This system offers no isolation. The message is one line that says what to do."""


@dataclass(frozen=True)
class Isolation:
    """The way in which scripts are isolated."""

    mode: Mode

    def command(
        self, module: str, words: Sequence[str], kept: Sequence[Path], arguments: Sequence[str] = ()
    ) -> list[str]:
        """Return the command that runs `main(words)` of `module` in isolation.

        Writes below the folders `kept` are real. `arguments` are the arguments of the script: folders that they name
        are made writable in the layer.
        """
        folders = [os.path.realpath(folder) for folder in kept]
        settings = {"mode": self.mode, "kept": folders, "words": list(arguments), "parent": os.getpid()}
        command = python_command("traindx.isolation.__main__", [json.dumps(settings), module, *words])
        return _seatbelt.fenced(command, folders) if self.mode == "python" and sys.platform == "darwin" else command


def choose(script: str, in_place: bool = False) -> Isolation:
    """Return the strongest isolation. Raises `IsolationError`, which says what the script would change."""
    if in_place:
        return Isolation("off")
    mode, why_not = _strongest(os.environ.get(SWITCH))
    if mode is not None:
        return Isolation(mode)
    touches = what_it_touches(script)
    raise IsolationError(f"{script} {touches}, and cannot be isolated here ({why_not}): --in-place runs it anyway")


def available_modes() -> list[Mode]:
    """Return the modes that work on this system, the strongest first."""
    reasons: dict[Mode, str] = {"kernel": without_kernel(), "python": without_fence()}
    return [mode for mode, why_not in reasons.items() if not why_not]


@cache
def _strongest(wanted: str | None) -> tuple[Mode | None, str]:
    if wanted in ("kernel", "python", "off"):
        return wanted, ""  # type: ignore[return-value]
    if wanted == "none":
        return None, f"{SWITCH}=none"
    if modes := available_modes():
        return modes[0], ""
    return None, f"{without_kernel()}; {without_fence()}"


@cache
def without_kernel() -> str:
    """Return why the mode `kernel` does not work here, or "" if it does."""
    return _tried("kernel") if sys.platform == "linux" else "the system is not Linux"


@cache
def without_fence() -> str:
    """Return why there is no fence for the mode `python` here, or "" if there is one."""
    return _landlock.missing() if sys.platform == "linux" else _seatbelt.missing()


def _tried(mode: Mode) -> str:
    """Return why this mode does not work, or "" if a file that was overwritten in isolation is unchanged."""
    with tempfile.TemporaryDirectory(prefix="traindx-isolation-") as folder:
        real, precious = Path(folder, "kept"), Path(folder, "precious")
        real.mkdir()
        precious.write_text("before")
        command = Isolation(mode).command("traindx.isolation._trial", [str(precious), str(real)], [real])
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=60)
        said = done.stderr.decode(errors="replace").strip().rpartition("\n")[2]
        if done.returncode or not (real / "done").exists():
            return said or f"exit code {done.returncode}"
        return "" if precious.read_text() == "before" else "a write reached the real file"
