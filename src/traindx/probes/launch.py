"""Starts the user's script with a probe inside it, isolated, in a fresh process with a time limit."""

from __future__ import annotations

import atexit
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from functools import cache, partial
from pathlib import Path
from typing import Any

from ..errors import PlainError
from ..isolation import Isolation, IsolationError, choose
from ..record import Run, load
from ..record.experiments import Probe

# Errors that may occur only because the script runs in isolation.
NETWORK = re.compile(
    r"gaierror|URLError|ConnectionError|ConnectionRefused|MaxRetry|Network is unreachable|name resolution|"
    r"LocalEntryNotFound|offline|Name or service not known|nodename nor servname",
    re.IGNORECASE,
)
FILES = re.compile(r"Read-only file system|No space left on device|Value too large|isolated run", re.IGNORECASE)

# A function that runs a plan to its end: (words, folder, seed, seconds) -> whether the time limit ended it.
Start = Callable[[Mapping[str, Any], Path, int, float], bool]
AT_ONCE = 4  # probe runs that usually run side by side
SETUP_SECONDS = 300.0  # for imports, reading data and building the model, before the first backward

_running: set[int] = set()  # process ids of the fresh processes


class ProbeError(PlainError):
    """The script could not be probed. `str(error)` is one line that says why and what to do."""


@dataclass(frozen=True)
class Script:
    """The user's script or module and its arguments. With `in_place` it runs without isolation, so its writes and
    deletions are real."""

    path: str
    args: Sequence[str] = ()
    module: bool = False
    in_place: bool = False

    def __str__(self) -> str:
        return f"-m {self.path}" if self.module else self.path

    @property
    def isolation(self) -> Isolation:
        """How to isolate it. Raises `ProbeError` if this machine cannot isolate it and `in_place` is not set."""
        try:
            return choose(self.path, self.in_place)
        except IsolationError as error:
            raise ProbeError(str(error)) from None


@dataclass(frozen=True)
class Plan:
    """One probe run. `seed` initialises the random generators; `shift` is added to the seeds that the script sets.

    `kind` is a module of `drivers`, or the full name of any module that defines `begin(options) -> Part`. `sources`
    maps absolute paths to source texts that run in place of the files' contents.
    """

    kind: str
    options: Mapping[str, Any] = field(default_factory=dict)
    seed: int = 0
    shift: int = 0
    sources: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Trial:
    """The result of a probe run. `ending` is `ok`, `stopped`, `killed`, `exception` …; `found` is the fact `probe`."""

    run: Run
    ending: str
    found: Probe

    @property
    def error(self) -> str | None:
        return error_line(self.run)

    @property
    def updates(self) -> int:
        """The number of updates that the script made. For a killed run: those that the record shows."""
        return self.found.updates or self.run.steps


def error_line(run: Run) -> str | None:
    """One line that says how and where the script failed; None if it did not."""
    return run.error.line if run.error else None


def error_words(error: BaseException) -> str:
    """An error from the user's or a library's code, shortened to one line."""
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text[:200]}" if text else type(error).__name__


def launch(
    script: Script, plan: Plan, start: Start | None = None, folder: Path | None = None, refuse_empty: bool = True
) -> Trial:
    """Run the script once, by `start` or else in a fresh process. Raises `ProbeError` if the run shows no training.

    The record and all that the driver writes go to `folder` (made by `new_folder`). With `refuse_empty` off, a script
    that fails after a forward pass but before its first backward is a result, not an error."""
    folder = folder or new_folder()
    record = folder / f"{plan.kind}.tdx"
    words = {
        **asdict(plan),
        "record": str(record),
        "script": script.path,
        "args": list(script.args),
        "module": script.module,
    }
    limit = SETUP_SECONDS + 1.5 * float(plan.options.get("seconds", 30.0))
    killed = (start or spawner(script))(words, folder, plan.seed, limit)
    if not record.exists():
        raise ProbeError(_last_line(folder / "stderr") or f"{script} could not be started")
    run = load(record)
    trial = Trial(run, "killed" if killed else run.exit or "killed", run.probe)
    if refuse_empty or not (trial.error and run.forwards):
        _refuse_empty(script, trial, folder)
    return trial


def new_folder() -> Path:
    """An empty folder that one probe run may write to."""
    return Path(tempfile.mkdtemp(dir=results_folder()))


@cache
def results_folder() -> Path:
    """The folder for the records of probe runs; it is deleted when this process ends."""
    folder = Path(tempfile.mkdtemp(prefix="traindx-probe-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def spawner(script: Script) -> Start:
    """A `Start` that runs each plan in a process of its own."""
    return partial(spawn, script.isolation)


def spawn(isolation: Isolation, words: Mapping[str, Any], folder: Path, seed: int, seconds: float) -> bool:
    """Run the plan in a process of its own. True if the time limit ended it."""
    with open(folder / "stdout", "wb") as out, open(folder / "stderr", "wb") as err:
        process = subprocess.Popen(
            isolation.command("traindx.probes._run", [json.dumps(words)], [folder], (words["script"], *words["args"])),
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
            env=environment(seed),
            start_new_session=True,  # the time limit must also end the loader's workers
        )
        _running.add(process.pid)
        try:
            return _wait(process, seconds)
        finally:
            _running.discard(process.pid)


def stop_all() -> None:
    """End every fresh process that is still running, after an interrupt."""
    for leader in tuple(_running):
        kill_group(leader)


def environment(seed: int) -> dict[str, str]:
    return {
        # Runs side by side that each take all cores wait for each other: a small network then costs four times as much.
        "OMP_NUM_THREADS": str(max(1, (os.cpu_count() or 1) // AT_ONCE)),
        **os.environ,
        "PYTHONHASHSEED": str(seed),
        "WANDB_MODE": "disabled",  # a probe is not an experiment to be logged
    }


def _wait(process: subprocess.Popen[bytes], seconds: float) -> bool:
    """Wait for the process to end. True if the time limit ended it."""
    try:
        process.wait(seconds)
        return False
    except subprocess.TimeoutExpired:
        return True
    finally:
        if process.poll() is None:
            kill_group(process.pid)
            process.kill()  # for systems without process groups
            process.wait()


def kill_group(leader: int) -> None:
    with suppress(OSError, AttributeError):
        os.killpg(leader, signal.SIGKILL)


def _refuse_empty(script: Script, trial: Trial, folder: Path) -> None:
    """Raise `ProbeError` if the script made no backward pass."""
    if trial.run.backwards:
        return
    if trial.error:
        advice = "" if script.in_place else _hint(trial.error)
        raise ProbeError(f"{script} failed before its first backward: {trial.error}{advice}")
    if trial.ending == "killed":
        raise ProbeError(f"{script} did not reach its first backward within the time limit")
    if trial.ending.startswith("exit"):
        raise ProbeError(f"{script} ended with {trial.ending}: {_last_line(folder / 'stderr') or 'no message'}")
    if not trial.run.torch:
        raise ProbeError(f"{script} never imported torch: there is no training to probe")
    raise ProbeError(f"no loss found: {script} ended without a backward pass (does it train with these arguments?)")


def _last_line(path: Path) -> str:
    lines = [line.strip() for line in path.read_text(errors="replace").splitlines() if line.strip()]
    return lines[-1] if lines else ""


def _hint(error: str) -> str:
    """A hint to append to the error; empty if isolation did not cause it."""
    if NETWORK.search(error):
        return ". Isolated runs have no network: download first, or run the script without isolation (--in-place)"
    if FILES.search(error):
        return ". Isolated runs cannot do this: run the script without isolation (--in-place)"
    return ""
