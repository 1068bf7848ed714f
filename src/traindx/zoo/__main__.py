"""python -m traindx.zoo list|show|run|build|check|corpus [PATTERN]

list    print the ids of the cases
show    print the script of one case
run     run one case again; print its output and how it compares with its reference
build   run every case that has no result yet, under observation, and keep its record
check   build, then list faults without harm and harmless variants with harm; exit code 1 if there are any
corpus  measure the signs of every valid case that has been built, and write the corpus (--out)

PATTERN is a part of the id or a shell pattern, for example `mlp_digits/*/0` or `lr-too-high`.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from ..__main__ import ending_quietly
from . import corpus
from .cases import HOST_SEEDS, PLAIN, Case, all_cases
from .edits import EditError
from .execution import Cache, run_cases
from .harm import judge


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m traindx.zoo", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("verb", choices=["list", "show", "run", "build", "check", "corpus"])
    parser.add_argument("pattern", nargs="?", default="*")
    parser.add_argument("--cache", type=Path, default=Path(".zoo-cache"))
    parser.add_argument("--out", type=Path, default=Path("benchmarks/accuracy/corpus.jsonl.gz"))
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args(argv)
    cases = [case for case in all_cases() if _matches(case, options.pattern)]
    if not cases:
        print(f"no case matches {options.pattern!r}", file=sys.stderr)
        return 2
    cache = Cache(options.cache)
    if options.verb == "list":
        for case in cases:
            print(case.id)
        return 0
    if options.verb == "show":
        print(cases[0].source, end="")
        return 0
    if options.verb == "corpus":
        rows = corpus.collect(cases, cache, options.workers)
        corpus.write(options.out, rows)
        print(f"{len(rows)} cases in {options.out}")
        return 0
    if options.verb == "run":
        return _run(cases[0], cache)
    try:
        _build(cases, cache, options.workers)
    except EditError as error:
        print(error, file=sys.stderr)
        return 2
    return _check(cases, cache) if options.verb == "check" else 0


def _matches(case: Case, pattern: str) -> bool:
    return pattern in case.id or fnmatchcase(case.id, pattern)


def _needed(cases: Sequence[Case]) -> list[Case]:
    """The cases and the cases that they are compared with, references first."""
    plain = [Case(host, PLAIN, seed) for host in dict.fromkeys(case.host for case in cases) for seed in HOST_SEEDS]
    return list(dict.fromkeys([*plain, *(case.reference for case in cases), *cases]))


def _build(cases: Sequence[Case], cache: Cache, workers: int) -> None:
    needed = _needed(cases)
    todo = sum(cache.outcome(case) is None for case in needed)
    print(f"{len(needed)} cases, {todo} to run")
    for number, (case, outcome) in enumerate(run_cases(needed, cache, workers), start=1):
        print(f"{number}/{todo} {outcome.seconds:5.1f} s  exit {outcome.exit}  {case.id}", flush=True)


def _run(case: Case, cache: Cache) -> int:
    shutil.rmtree(cache.directory(case), ignore_errors=True)
    _build([case], cache, workers=1)
    print((cache.directory(case) / "output.txt").read_text(), end="")
    verdict = judge(case, cache)
    print(f"{case.id}: {verdict.reason if verdict else 'not comparable'}")
    return 0


def _check(cases: Sequence[Case], cache: Cache) -> int:
    bad = 0
    for case in cases:
        verdict = judge(case, cache)
        if verdict is None or not verdict.valid:
            bad += 1
            print(f"INVALID {case.id}: {verdict.reason if verdict else 'no result'}")
    print(f"{len(cases) - bad} of {len(cases)} cases are valid")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(ending_quietly(main))
