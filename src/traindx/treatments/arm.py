"""One arm of a trial, inside the script's process: the intervention, the limits of the run, the score, the progress.

Options of `begin`: `steps` and `seconds` limit the run; with `evaluation`, it ends after the script's next evaluation;
`driver` and `dose` make the change (none in a control); `progress` is a file that receives the progress.
"""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from time import perf_counter
from typing import Any

from ..observe.hook_points.moments import Driver, Several
from ..observe.metric_queue import cpu_value
from ..probes.acting.limits import Part
from ..probes.acting.roles import UntilEvaluated
from ._base import driver_of
from .score import Scores, Targets

LEAST_STEPS = 100  # an arm makes at least this many steps, even after its time is up …
PATIENCE = 5.0  # … unless they take more than this many times its seconds
EVERY = 0.25  # seconds between two progress reports
SMOOTHING = 0.1  # of the loss in progress reports


class _Length(UntilEvaluated):
    """Ends the run at its limits, and reports progress to the parent process."""

    def __init__(self, options: Mapping[str, Any]) -> None:
        super().__init__(int(options["steps"]), float(options["seconds"]), bool(options.get("evaluation")))
        self._progress = Path(options["progress"]) if options.get("progress") else None
        self._told = 0.0
        self._loss = math.nan

    def check_time(self) -> None:
        if self.spent > self.seconds and (self.updates >= LEAST_STEPS or self.spent > PATIENCE * self.seconds):
            self.stop("time")

    def before_backward(self, loss: Any) -> None:
        super().before_backward(loss)
        value = cpu_value(loss)
        if value is not None:
            known = math.isfinite(self._loss) and math.isfinite(value)
            self._loss = self._loss + SMOOTHING * (value - self._loss) if known else value

    def updated(self) -> None:
        if self._progress is not None and perf_counter() - self._told > EVERY:
            self._told = perf_counter()
            self._progress.write_text(f"{self.updates} {self._loss}")
        super().updated()


def begin(options: Mapping[str, Any]) -> Part:
    length = _Length(options)
    # Now `__main__` is the script; after its end, it is traindx again.
    main = getattr(sys.modules.get("__main__"), "__file__", None)
    changing = driver_of(options["driver"], options["dose"]) if options.get("driver") else None
    folders = _own_folders(main)
    listen()

    def findings() -> dict[str, Any]:
        found = changing.findings() if changing is not None else {"acted": 0}
        files = {"files": _own_files(main, folders), "data": heard(folders)}
        return {**length.findings(), **found, **files}

    targets = Targets()
    drivers: list[Driver] = [targets, length]
    if changing is not None:  # what replaces whole samples comes before what keeps their targets
        drivers.insert(0 if getattr(changing, "samples", False) else 1, changing)
    return Part(Several(drivers), [lambda session: Scores(session, targets)], findings)


def _own_folders(main: str | None) -> set[Path]:
    return {Path.cwd().resolve(), *([Path(main).resolve().parent] if main else [])}


def _own_files(main: str | None, folders: set[Path]) -> list[str]:
    """The script, and the source files in its folder or the working folder that it has imported."""
    found = {str(Path(main).resolve())} if main else set()
    for module in list(sys.modules.values()):
        file = getattr(module, "__file__", None)
        if isinstance(file, str) and file.endswith(".py") and "site-packages" not in file:
            path = Path(file).resolve()
            ours = "traindx" in module.__name__
            if not ours and any(path.is_relative_to(folder) for folder in folders) and path.is_file():
                found.add(str(path))
    return sorted(found)


# ── the data files that the script reads ──────────────────────────────────────────────────────────
#
# An audit hook sees Python's `open` and everything built on it, from the import of torch on. It does not see libraries
# that open files in C.

MOST = 2000  # files; of a folder with one file per sample, only this many are recorded
SOURCES = (".py", ".pyc", ".pyi", ".so")

_heard: set[str] | None = None
_hooked = False


def listen() -> None:
    """Start again with an empty list. An audit hook cannot be removed, so the process installs it once."""
    global _heard, _hooked
    _heard = set()
    if not _hooked:
        _hooked = True
        sys.addaudithook(_hook)


def heard(folders: set[Path]) -> list[str]:
    """The files below these folders that were opened for reading so far."""
    found = set()
    for name in list(_heard or ()):
        path = Path(name).resolve()
        if any(path.is_relative_to(folder) for folder in folders) and path.is_file():
            found.add(str(path))
    return sorted(found)


def _hook(event: str, given: tuple[Any, ...]) -> None:
    if event != "open" or _heard is None or len(_heard) >= MOST:
        return
    path, _, flags = given
    writes = isinstance(flags, int) and flags & (os.O_WRONLY | os.O_RDWR)
    if isinstance(path, (str, bytes)) and not writes:
        name = os.fsdecode(path)
        if not name.endswith(SOURCES):
            _heard.add(str(Path(name).absolute()))  # absolute now: the script may change its folder later
