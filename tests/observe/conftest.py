"""Runs scripts with and without traindx: in forked children of a warm Python, or in fresh interpreters."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from traindx.record import Run, load

HERE = Path(__file__).parent
TRAININGS = HERE / "trainings"
PREAMBLE = """\
import json, torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(0)
torch.set_num_threads(1)
"""


@dataclass(frozen=True)
class Outcome:
    """How a script ended and what it said; `record` is where its record lies, if it was observed."""

    script: Path
    code: int
    out: str
    err: str
    record: Path

    @property
    def run(self) -> Run:
        return load(self.record)


class WarmPython:
    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._jobs = 0
        self._process = subprocess.Popen(
            [sys.executable, str(HERE / "warm_python.py")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | {"OMP_NUM_THREADS": "1"},
        )

    def close(self) -> None:
        self._process.communicate()

    def python(self, script: Path, *args: str) -> Outcome:
        """As `python script args`."""
        return self._run(script, [str(script), *args], observed=False, prepare="", during=None)

    def traindx(
        self,
        script: Path,
        *args: str,
        options: tuple[str, ...] = (),
        prepare: str = "",
        during: Callable[[int, Path], None] | None = None,
    ) -> Outcome:
        """As `traindx run script args`. `prepare` is executed first; `during` gets the process id and the record."""
        words = ["run", "--no-diagnosis", "--out", "RECORD", *options, str(script), *args]
        return self._run(script, words, observed=True, prepare=prepare, during=during)

    def _run(
        self, script: Path, words: list[str], observed: bool, prepare: str, during: Callable[[int, Path], None] | None
    ) -> Outcome:
        self._jobs += 1
        folder = self._folder / str(self._jobs)
        folder.mkdir()
        record = folder / "run.tdx"
        out, err = folder / "stdout", folder / "stderr"
        job = {
            "argv": [str(record) if word == "RECORD" else word for word in words],
            "cwd": str(folder),
            "stdout": str(out),
            "stderr": str(err),
            "traindx": observed,
            "prepare": textwrap.dedent(prepare),
        }
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(json.dumps(job) + "\n")
        self._process.stdin.flush()
        pid = json.loads(self._process.stdout.readline())["pid"]
        if during is not None:
            during(pid, record)
        code = json.loads(self._process.stdout.readline())["code"]
        return Outcome(script, code, out.read_text(), err.read_text(), record)


@pytest.fixture(scope="session")
def warm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WarmPython]:
    python = WarmPython(tmp_path_factory.mktemp("warm"))
    yield python
    python.close()


@pytest.fixture
def script(tmp_path: Path) -> Callable[[str], Path]:
    """Writes a script."""

    def write(source: str, name: str = "script.py") -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(source))
        return path

    return write


@pytest.fixture(scope="session")
def observed(warm: WarmPython, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Outcome]:
    """Runs a program under observation with a budget that leaves no step out for want of time: a busy machine must not
    change what is looked at. The program is a file, or a text that `PREAMBLE` goes before."""

    def run(program: str | Path, *options: str, **more: Any) -> Outcome:
        path = program
        if isinstance(path, str):
            path = tmp_path_factory.mktemp("program") / "script.py"
            path.write_text(PREAMBLE + textwrap.dedent(program))
        return warm.traindx(path, options=("--budget", "100", *options), **more)

    return run
