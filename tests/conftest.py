"""What holds for every test."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from pathlib import Path

# An error inside a sign is a bug of ours: here it is raised instead of being recorded. Children inherit it.
os.environ["TRAINDX_STRICT"] = "1"

# Nothing that a test keeps may land in the history, backups or caches of whoever runs the tests, or be read from there.
_OWN = Path(tempfile.mkdtemp(prefix="traindx-tests-"))
os.environ["XDG_DATA_HOME"] = str(_OWN / "data")
os.environ["XDG_STATE_HOME"] = str(_OWN / "state")
os.environ["XDG_CACHE_HOME"] = str(_OWN / "cache")
atexit.register(shutil.rmtree, _OWN, ignore_errors=True)
