"""Runs cases, each in a fresh process, and keeps the results in a cache of plain files.

Each case has a directory named by its key, with `train.py` (the script), `output.txt`, `run.tdx` (the record) and
`result.json`. A case with a result is not run again: an interrupted build can be resumed, and signs can be measured
again without training.

Processes are forked from a server that has imported torch once, because the import takes longer than most trainings.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import re
import resource
import sys
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from importlib import import_module
from importlib.util import find_spec
from math import nan
from pathlib import Path
from runpy import run_path

from .cases import Case

PRELOADED = ["torch", "numpy", "sklearn.datasets", "sklearn.model_selection", "sklearn.preprocessing"]
OBSERVER = "traindx.observe.runner"
TIME_LIMIT = 300.0  # seconds; cases take 1 to 5, cost faults 15, and ten times that on a busy machine


@dataclass(frozen=True)
class Outcome:
    """The result of a run: its exit code and the numbers of its FINAL line (NaN if there is none)."""

    exit: int | None  # None: stopped at the time limit
    seconds: float
    memory: float  # growth of the peak resident memory, in megabytes
    train_loss: float
    val_loss: float
    quality: float  # higher is better: accuracy, or explained share of the variance
    error: str = ""  # the exception that ended it


class Cache:
    """The directories of the cases."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def directory(self, case: Case) -> Path:
        return self.root / case.key

    def record(self, case: Case) -> Path:
        return self.directory(case) / "run.tdx"

    def outcome(self, case: Case) -> Outcome | None:
        """The case's outcome; None if it has not run yet, or if it has no record although it could be observed."""
        path = self.directory(case) / "result.json"
        if not path.exists() or (can_observe() and not self.record(case).exists()):
            return None
        result = json.loads(path.read_text())
        return Outcome(**result["outcome"])

    def store(self, case: Case, outcome: Outcome) -> None:
        text = json.dumps({"case": case.id, "outcome": asdict(outcome)}, indent=1)
        (self.directory(case) / "result.json").write_text(text + "\n")


def can_observe() -> bool:
    return find_spec(OBSERVER) is not None


def run_cases(cases: Iterable[Case], cache: Cache, workers: int = 2) -> Iterator[tuple[Case, Outcome]]:
    """Runs the cases without a result; yields each case when it ends."""
    context = server()
    waiting = {case.key: case for case in cases if cache.outcome(case) is None}
    with ThreadPoolExecutor(workers) as pool:
        jobs = {pool.submit(_run_case, case, cache, context): case for case in waiting.values()}
        for job in as_completed(jobs):
            yield jobs[job], job.result()


def server() -> multiprocessing.context.ForkServerContext:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(PRELOADED)
    return context


def _run_case(case: Case, cache: Cache, context: multiprocessing.context.ForkServerContext) -> Outcome:
    directory = cache.directory(case).resolve()
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "train.py").write_text(case.source, encoding="utf-8")
    outcome = run_directory(directory, context)
    cache.store(case, outcome)
    return outcome


def run_directory(directory: Path, context: multiprocessing.context.ForkServerContext) -> Outcome:
    """Runs the directory's `train.py` under observation; output and record go to the same directory."""
    (directory / "usage.json").unlink(missing_ok=True)
    process = context.Process(target=_patient, args=(directory,))
    process.start()
    process.join(TIME_LIMIT)
    stopped = process.is_alive()
    if stopped:
        process.kill()
        process.join()
    return _outcome(directory, None if stopped else process.exitcode)


def _patient(directory: Path) -> None:
    """Runs in the case's process: redirects its output to a file, and writes its usage however it ends."""
    output = os.open(directory / "output.txt", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(output, 1)
    os.dup2(output, 2)
    os.chdir(directory)
    started, resident = time.perf_counter(), _peak_memory()
    try:
        _run_script(directory / "train.py", directory / "run.tdx")
    finally:
        usage = {"seconds": time.perf_counter() - started, "memory": _peak_memory() - resident}
        (directory / "usage.json").write_text(json.dumps(usage))


def _run_script(script: Path, record: Path) -> None:
    """Runs the script as `traindx run` does, or without observation if there is no observer."""
    if can_observe():
        record.unlink(missing_ok=True)
        sys.exit(import_module(OBSERVER).run_script(str(script), [], out=str(record)))
    sys.argv = [str(script)]
    run_path(str(script), run_name="__main__")


def _peak_memory() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _outcome(directory: Path, exit_code: int | None) -> Outcome:
    usage_file = directory / "usage.json"
    usage = json.loads(usage_file.read_text()) if usage_file.exists() else {"seconds": nan, "memory": nan}
    lines = (directory / "output.txt").read_text(errors="replace").splitlines()
    final = next((line for line in reversed(lines) if line.startswith("FINAL ")), "")
    numbers = {name: float(value) for name, value in re.findall(r"(\w+)=(\S+)", final)}
    measured = {name: numbers.get(name, nan) for name in ("train_loss", "val_loss", "quality")}
    error = next((line for line in reversed(lines) if re.match(r"[\w.]*(Error|Exception|Exit)\b", line)), "")
    return Outcome(exit=exit_code, **usage, **measured, error=error if exit_code else "")
