"""The principal run of a file that may contain several."""

from __future__ import annotations

from pathlib import Path

from .....readers import principal, read
from .....record import Run
from ..problem import Problem


def open_run(path: str) -> Run:
    runs = read(Path(path))
    if not runs:
        raise Problem(f"{path} contains no run")
    return principal(runs)
