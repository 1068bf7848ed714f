"""What holds for every test."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import is_hypothesis_test, settings

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
