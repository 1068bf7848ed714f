"""The runs behind the reference ranges: which are taken, and how each becomes a record.

Records are kept in a folder that git ignores, so that an interrupted build goes on where it stopped.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from zlib import crc32

from benchmarks.accuracy.__main__ import CORPUS
from benchmarks.field.score import Program, observe
from traindx.causes import all_causes
from traindx.zoo import corpus
from traindx.zoo.cases import HOST_SEEDS, PLAIN, Case, find_case
from traindx.zoo.execution import Cache, run_cases

HEALTHY = "healthy"
FIELD = Path(__file__).parents[1] / "field" / "open"
PLAIN_SEEDS = HOST_SEEDS[:2]
PROGRAMS = 150  # healthy field programs
VARIANTS = 130  # healthy zoo runs
FAULTS = 90  # faulty zoo runs, to see whether a fault stands out
FAULTY_PROGRAMS = 50  # faulty field programs, for the same
TIME_LIMIT = 60.0  # seconds for a field program


@dataclass(frozen=True)
class Patient:
    """A record on disk, what is known about it, and what is held out together with it."""

    name: str
    host: str
    cause: str
    record: Path


def zoo_cases() -> list[Case]:
    """Healthy hosts and variants, and a sample of faults: those that the corpus holds, that is, that are valid."""
    named = {row.case for row in corpus.read(CORPUS)}
    found = [case for name in sorted(named) if (case := find_case(name)) is not None and case.background is None]
    found = sorted(found, key=lambda case: spread(case.id))
    well = [c for c in found if c.cause == HEALTHY and c.seed in (PLAIN_SEEDS if c.variant == PLAIN else (0,))]
    sick = [c for c in found if c.cause != HEALTHY and c.seed == 0]
    return [*well[:VARIANTS], *sick[:FAULTS]]


def programs() -> list[Program]:
    """A sample of the healthy and of the faulty field programs."""
    found = sorted(map(Program.at, FIELD.glob("*.py")), key=lambda program: spread(program.path.stem))
    well = [program for program in found if program.expect == HEALTHY]
    sick = [
        program for program in found if program.expect in all_causes() and not all_causes()[program.expect].advisory
    ]
    return [*well[:PROGRAMS], *sick[:FAULTY_PROGRAMS]]


def spread(name: str) -> int:
    """An order that has nothing to do with what a run is, and stays the same."""
    return crc32(name.encode())


def build(folder: Path, kinds: Sequence[str], workers: int) -> None:
    """Run what has no record yet."""
    if "zoo" in kinds:
        for number, (case, outcome) in enumerate(run_cases(zoo_cases(), Cache(folder / "zoo"), workers), start=1):
            print(f"{number} {outcome.seconds:5.1f} s  exit {outcome.exit}  {case.id}", flush=True)
    if "field" in kinds:
        place = folder / "field"
        place.mkdir(parents=True, exist_ok=True)
        for program in programs():
            if error := observe(program, place, TIME_LIMIT):
                print(f"{program.path.stem}: {error}", file=sys.stderr)


def recorded(folder: Path) -> Iterator[Patient]:
    """The patients that have a record."""
    cache = Cache(folder / "zoo")
    for case in zoo_cases():
        if cache.record(case).exists():
            yield Patient(case.id, case.host, case.cause, cache.record(case))
    for program in programs():
        if (record := program.record(folder / "field")).exists():
            yield Patient(f"field/{program.path.stem}", program.path.stem, program.expect, record)
