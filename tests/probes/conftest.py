"""Probe runs are made in this process, one after another: starting python for each would take longer than the tests."""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
import torch

from traindx.probes import _run, forking, launch
from traindx.probes.launch import Script

torch.set_num_threads(1)


@pytest.fixture
def in_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """`launch` without a process of its own."""
    one_at_a_time = threading.Lock()

    def spawn(isolation: Any, words: Any, folder: Path, seed: int, seconds: float) -> bool:
        out, err = folder / "stdout", folder / "stderr"
        with one_at_a_time, out.open("w") as said, err.open("w") as complained:
            printing, complaining = contextlib.redirect_stdout(said), contextlib.redirect_stderr(complained)
            with printing, complaining:
                _run.main([json.dumps(words)])
        return False

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
