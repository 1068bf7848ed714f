"""Damaged and hostile logs: thousands of mutations of one small log a format.

    python -m benchmarks.safety.logs [MUTATIONS]

Each damaged file has to be read or refused with one line. A traceback, an error that no reader expects, or a series
whose steps go back counts as a failure; its seed is printed.
"""

from __future__ import annotations

import sys
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path

from benchmarks.safety import Attack

sys.path.insert(0, str(Path(__file__).parents[2] / "tests" / "readers"))
from _mutations import complaints, patients

TITLE = "Damaged and hostile logs"

MUTATIONS = 10_000


def attacks(mutations: int = MUTATIONS) -> Iterator[Attack]:
    """For each format its name, how many damaged files were tried, and how many were answered wrongly."""
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("error")
        for name, content in patients().items():
            failed = list(complaints(name, content, range(mutations), Path(folder)))
            for seed, wrong in failed[:5]:
                print(f"  {name}, seed {seed}: {wrong}", file=sys.stderr)
            yield Attack(name, str(failed[0]) if failed else "", mutations, len(failed))


def parts(mutations: int = MUTATIONS) -> dict[str, list[tuple[int, int]]]:
    """The seeds of each format, cut into ranges."""
    return {name: [(at, min(at + 1000, mutations)) for at in range(0, mutations, 1000)] for name in patients()}


def part(name: str, first: int, last: int, _folder: Path) -> Iterator[Attack]:
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("error")
        failed = list(complaints(name, patients()[name], range(first, last), Path(folder)))
        yield Attack(name, f"seed {failed[0][0]}: {failed[0][1]}" if failed else "", last - first, len(failed))


if __name__ == "__main__":
    for attack in attacks(int(sys.argv[1]) if len(sys.argv) > 1 else MUTATIONS):
        print(f"{attack.name}: {attack.tried} tried, {attack.failures} failed", flush=True)
