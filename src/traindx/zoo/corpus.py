"""The corpus: the recorded cases that may teach and judge the diagnosis."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from .cases import Case, all_cases
from .execution import Cache
from .harm import judge


def recorded_cases(root: Path) -> Iterator[tuple[Case, Path]]:
    """Cases below the cache `root` that have run, were recorded, and whose fault hurts; with their records."""
    cache = Cache(root)
    for case in all_cases():
        record = cache.record(case)
        if not record.exists():
            continue
        verdict = judge(case, cache)
        if verdict and verdict.valid:
            yield case, record
