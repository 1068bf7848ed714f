"""What holds for every test."""

from __future__ import annotations

import atexit
import json
import os
import shutil
import tempfile
import threading
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from textwrap import dedent
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import is_hypothesis_test, settings

if TYPE_CHECKING:
    from traindx.probes.launch import Script

# An error inside a sign is a bug of ours: here it is raised instead of being recorded. Children inherit it.
os.environ["TRAINDX_STRICT"] = "1"

# The trainings of tests are tiny, and several run at once: with more threads than that they wait for each other.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# `live` lowers its priority. Called inside a test's process it would lower that of all later tests, for good.
os.nice = lambda _increment: 0

# Nothing that a test keeps may land in the history, backups or caches of whoever runs the tests, or be read from there.
_OWN = Path(tempfile.mkdtemp(prefix="traindx-tests-"))
os.environ["XDG_DATA_HOME"] = str(_OWN / "data")
os.environ["XDG_STATE_HOME"] = str(_OWN / "state")
os.environ["XDG_CACHE_HOME"] = str(_OWN / "cache")
atexit.register(shutil.rmtree, _OWN, ignore_errors=True)

# `make test` tries the same examples each time. `make nightly` tries new and more ones (TRAINDX_HYPOTHESIS=new);
# those that fail are kept in `.hypothesis` and tried first the next time.
settings.register_profile("ci", derandomize=True, deadline=None, database=None)
settings.register_profile("new", derandomize=False, deadline=None, print_blob=True)
NEW = os.environ.get("TRAINDX_HYPOTHESIS") == "new"
settings.load_profile("new" if NEW else "ci")
MORE = 20  # times as many examples as a test asks for


@pytest.fixture
def in_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Probe runs without a process of their own, one after another: starting python for each would take longer than
    the tests."""
    from traindx.probes import _run, forking, launch

    one_at_a_time = threading.Lock()

    def spawn(isolation: Any, words: Any, folder: Path, seed: int, seconds: float) -> bool:
        out, err = folder / "stdout", folder / "stderr"
        with one_at_a_time, out.open("w") as said, err.open("w") as bad, redirect_stdout(said), redirect_stderr(bad):
            _run.main([json.dumps(words)])
        return False

    monkeypatch.setattr(launch, "spawn", spawn)
    monkeypatch.setattr(forking, "available", lambda: False)


@pytest.fixture
def script(tmp_path: Path) -> Callable[..., Script]:
    """Writes a script to probe."""
    from traindx.probes.launch import Script

    def write(text: str, *args: str) -> Script:
        path = tmp_path / "train.py"
        path.write_text(dedent(text))
        return Script(str(path), args)

    return write


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let the profile decide, whatever a test's own `settings` say."""
    for item in items:
        if not is_hypothesis_test(test := getattr(item, "obj", None)):
            continue
        own = test._hypothesis_internal_use_settings
        test = getattr(test, "__func__", test)
        test._hypothesis_internal_use_settings = (
            settings(own, max_examples=MORE * own.max_examples, derandomize=False, deadline=None)
            if NEW
            else settings(own, derandomize=True, deadline=None, database=None)
        )
