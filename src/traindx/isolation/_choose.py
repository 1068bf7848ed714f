"""Finds which isolation works on this system by trying it before any code of the user runs."""

from __future__ import annotations

import ast
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

from ..source_text import LARGEST, parsed
from ..starting import python_command
from ._fence import fenced, without_landlock, without_seatbelt

Mode = Literal["kernel", "python", "off"]
SWITCH = "TRAINDX_ISOLATION"  # for tests: one of the modes, or `none` to act like a system without isolation


class IsolationError(Exception):
    """This system offers no isolation. The message is one line that says what to do."""


@dataclass(frozen=True)
class Isolation:
    """The way in which scripts are isolated."""

    mode: Mode

    def command(
        self,
        module: str,
        words: Sequence[str],
        kept: Sequence[Path],
        arguments: Sequence[str] = (),
        server: bool = False,
    ) -> list[str]:
        """Return the command that runs `main(words)` of `module` in isolation.

        Writes below the folders `kept` are real. `arguments` are the arguments of the script: folders that they name
        are made writable in the layer. A `server` runs no code of the user: it isolates its forks (`fork_with_layer`).
        """
        folders = [os.path.realpath(folder) for folder in kept]
        settings = {
            "mode": self.mode,
            "kept": folders,
            "words": list(arguments),
            "server": server,
            "parent": os.getpid(),
        }
        command = python_command("traindx.isolation.__main__", [json.dumps(settings), module, *words])
        return fenced(command, folders) if self.mode == "python" and sys.platform == "darwin" else command


def choose(script: str, in_place: bool = False) -> Isolation:
    """Return the strongest isolation. Raises `IsolationError`, which says what the script would change."""
    if in_place:
        return Isolation("off")
    mode, why_not = _strongest(os.environ.get(SWITCH))
    if mode == "python" and hasattr(os, "geteuid") and os.geteuid() == 0:
        mode, why_not = None, f"root needs namespaces: {without_kernel() or 'they are switched off'}"
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
    return without_landlock() if sys.platform == "linux" else without_seatbelt()


def _tried(mode: Mode) -> str:
    """Return why this mode does not work, or "" if a file that was overwritten in isolation is unchanged."""
    with tempfile.TemporaryDirectory(prefix="traindx-isolation-") as folder:
        real, precious = Path(folder, "kept"), Path(folder, "precious")
        real.mkdir()
        precious.write_text("before")
        command = Isolation(mode).command("traindx.isolation._choose", [str(precious), str(real)], [real])
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=60)
        said = done.stderr.decode(errors="replace").strip().rpartition("\n")[2]
        if done.returncode or not (real / "done").exists():
            return said or f"exit code {done.returncode}"
        return "" if precious.read_text() == "before" else "a write reached the real file"


# ── the test of a mode ────────────────────────────────────────────────────────────────────────────


def main(words: list[str]) -> int:
    precious, real = map(Path, words)
    other = precious.with_name("other")
    precious.write_text("after")
    precious.rename(other)
    precious.mkdir()
    seen = other.read_text() == "after" and precious.is_dir()
    if seen:
        (real / "done").touch()
    return int(not seen)


# ── what the source of a script would write, delete, start or connect to ──────────────────────────

SHOWN = 4
WRITING = {
    "save", "savez", "savez_compressed", "savetxt", "save_file", "save_pretrained", "save_model", "save_checkpoint",
    "dump", "savefig", "imwrite", "imsave", "to_csv", "to_parquet", "to_pickle", "to_json", "tofile", "write_text",
    "write_bytes", "write_csv", "write_parquet", "mkdir", "makedirs", "remove", "unlink", "rmdir", "rmtree", "rename",
    "replace", "move", "copy", "copy2", "copyfile", "copytree", "touch", "truncate", "chmod", "symlink",
    "SummaryWriter", "FileHandler", "RotatingFileHandler", "system", "Popen", "check_call", "check_output", "urlopen",
    "urlretrieve", "connect", "extractall",
}  # fmt: skip
# Ambiguous names, which strings, lists and dicts have as well, count only as functions of these modules.
MODULES = {"os", "shutil", "subprocess", "torch", "np", "numpy", "json", "pickle", "joblib", "sqlite3", "plt", "cv2"}
AMBIGUOUS = {"replace", "copy", "remove", "move", "touch", "connect", "rename", "truncate", "dump", "save"}


def what_it_touches(script: str) -> str:
    """Return what the script does, as the predicate of a sentence."""
    try:
        with open(script, "rb") as file:
            tree = parsed(file.read(LARGEST + 1))
    except OSError:
        tree = None
    if tree is None:
        return "may write, delete and connect"
    found: dict[str, int] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and (name := _written_by(node)):
            found.setdefault(name, node.lineno)
    if not found:
        return "may write, delete and connect through what it imports"
    listed = [f"{name} (line {line})" for name, line in list(found.items())[:SHOWN]]
    more = f" and {len(found) - SHOWN} more" if len(found) > SHOWN else ""
    return f"calls {', '.join(listed)}{more}"


def _written_by(call: ast.Call) -> str | None:
    """Return the name of the call if it changes something outside the process."""
    name = ast.unparse(call.func)
    owner, _, last = name.rpartition(".")
    if last == "open":
        modes = [*call.args[:2], *(word.value for word in call.keywords if word.arg == "mode")]
        texts = [mode.value for mode in modes if isinstance(mode, ast.Constant) and isinstance(mode.value, str)]
        return "open for writing" if any(set(text) & set("wax+") and len(text) < 4 for text in texts) else None
    if last == "run" and owner == "subprocess":
        return name
    if last not in WRITING or (last in AMBIGUOUS and owner.split(".")[0] not in MODULES):
        return None
    return name if len(name) < 40 else last
