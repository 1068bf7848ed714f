"""Makes the trials of a check in processes forked from a server that has imported the patients' libraries once."""

from __future__ import annotations

import json
import multiprocessing
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from traindx.probes import _run
from traindx.probes.launch import ProbeError, Script, kill_group
from traindx.probes.script_check import measure_with
from traindx.record.reading import save

PRELOADED = ["torch", "torch._dynamo", "numpy", "sklearn.datasets", "sklearn.model_selection", "sklearn.preprocessing"]

SECONDS = 60.0  # of each trial, so that a busy machine changes no answer; the command's own limit is 10


def keep(source: str, record: Path) -> str:
    """Examines the script and keeps the run; gives what went wrong, or nothing."""
    with tempfile.TemporaryDirectory(prefix="traindx-check-") as folder:
        script = Path(folder) / "train.py"
        script.write_text(source)
        try:
            run = measure_with(Script(str(script)), forked, seconds=SECONDS, fresh=forked)
        except ProbeError as error:
            return str(error)
        partial = record.with_suffix(f".{os.getpid()}.partial")
        save(run, partial)
        partial.rename(record)
    return ""


def forked(words: Mapping[str, Any], folder: Path, _seed: int, seconds: float) -> bool:
    """A `Start`."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(PRELOADED)
    process = context.Process(target=_go, args=(dict(words), str(folder)))
    process.start()
    process.join(seconds)
    late = process.is_alive()
    if late and process.pid is not None:
        kill_group(process.pid)
        process.join()
    return late


def _go(words: dict[str, Any], folder: str) -> None:
    os.setsid()
    os.chdir(folder)
    for number, name in ((1, "stdout"), (2, "stderr")):
        os.dup2(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
    _run.main([json.dumps(words)])
