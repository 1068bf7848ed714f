"""Which isolation holds on this system, tried before anything of the user's is started."""

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
SWITCH = "TRAINDX_ISOLATION"  # for tests: one of the modes, or `none` for a system without any


class IsolationError(Exception):
    """No isolation can be had; the text is one line with what to do."""


@dataclass(frozen=True)
class Isolation:
    """How scripts are run."""

    mode: Mode

    def command(
        self, module: str, words: Sequence[str], kept: Sequence[Path], arguments: Sequence[str] = ()
    ) -> list[str]:
        """What to start so that `main(words)` of `module` runs isolated.

        Writes below the folders `kept` are real. `arguments` are the script's own; paths among them are prepared.
        """
        folders = [os.path.realpath(folder) for folder in kept]
        settings = {"mode": self.mode, "kept": folders, "words": list(arguments), "parent": os.getpid()}
        command = python_command("traindx.isolation.__main__", [json.dumps(settings), module, *words])
        return _seatbelt.fenced(command, folders) if self.mode == "python" and sys.platform == "darwin" else command


def choose(script: str, in_place: bool = False) -> Isolation:
    """The strongest isolation there is. Raises `IsolationError`, which says what the script would touch."""
    if in_place:
        return Isolation("off")
    mode, why_not = _strongest(os.environ.get(SWITCH))
    if mode is not None:
        return Isolation(mode)
    touches = what_it_touches(script)
    raise IsolationError(f"{script} {touches}, and cannot be isolated here ({why_not}): --in-place runs it anyway")


def available_modes() -> list[Mode]:
    """The modes that hold on this system, the strongest first."""
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
    """Why there are no namespaces and layers here; empty where there are."""
    return _tried("kernel") if sys.platform == "linux" else "the system is not Linux"


@cache
def without_fence() -> str:
    """Why there is no fence for Python's layer here; empty where there is."""
    return _landlock.missing() if sys.platform == "linux" else _seatbelt.missing()


def _tried(mode: Mode) -> str:
    """Why this mode does not hold: empty where a file that was overwritten in it is as it was."""
    with tempfile.TemporaryDirectory(prefix="traindx-isolation-") as folder:
        real, precious = Path(folder, "kept"), Path(folder, "precious")
        real.mkdir()
        precious.write_text("before")
        command = Isolation(mode).command("traindx.isolation._trial", [str(precious), str(real)], [real])
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=60)
        said = done.stderr.decode(errors="replace").strip().rpartition("\n")[2]
        if done.returncode or not (real / "done").exists():
            return said or f"exit code {done.returncode}"
        return "" if precious.read_text() == "before" else "writes are not kept apart"
