"""Trials are made in this process, one after another: starting python for each would take longer than the tests."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
import torch

from traindx.probes import _run, forking, launch
from traindx.probes.launch import Script
from traindx.treatments import _arms

torch.set_num_threads(1)


class OneByOne:
    """An executor without threads: a script that runs in this process waits for all threads at its end."""

    def __init__(self, workers: int) -> None: ...

    def submit(self, call: Callable[..., Any], *args: Any) -> Future[Any]:
        done: Future[Any] = Future()
        done.set_result(call(*args))
        return done

    def shutdown(self, **_: Any) -> None: ...


@pytest.fixture
def in_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """`launch` without a process of its own."""

    def spawn(isolation: Any, words: Any, folder: Path, seed: int, seconds: float) -> bool:
        out, err = folder / "stdout", folder / "stderr"
        with out.open("w") as said, err.open("w") as complained:
            printing, complaining = contextlib.redirect_stdout(said), contextlib.redirect_stderr(complained)
            with printing, complaining:
                _run.main([json.dumps(words)])
        return False

    monkeypatch.setattr(_arms, "ThreadPoolExecutor", OneByOne)
    monkeypatch.setattr(launch, "spawn", spawn)
    monkeypatch.setattr(forking, "available", lambda: False)


@pytest.fixture
def script(tmp_path: Path) -> Callable[..., Script]:
    """Writes a script."""

    def write(text: str, *args: str) -> Script:
        path = tmp_path / "train.py"
        path.write_text(dedent(text))
        return Script(str(path), args)

    return write
