"""Runs public training programs bare and observed, compares the two, and scores what traindx says of them.

    python -m benchmarks.real FOLDER [--half tune|unseen] [--only PATTERN] [--results FILE] [--timeout SECONDS]

`manifest.tsv` lists the programs: repository, commit, path, arguments, which stand-in data, what is expected and why.
Nothing of theirs is in this repository: the reader provides a FOLDER with `checkouts/OWNER__REPO`, one a repository at
the manifest's commit, where `make_vision.py`, `make_vision.py full` and `make_files.py` (with REAL_PROGRAMS=FOLDER) put
generated data in the formats that the programs expect; a folder `pkgs` there may hold packages that they import. Half
of the repositories, by a hash of their name, are `unseen`: nobody looks at them while changing the tool. Results are
kept in FILE, so that a run can be resumed.

Counted are: the same output and exit code bare and observed; healthy programs called sick, and at which confidence;
faulty ones whose cause comes first or among the first three; and, by basis, how often a leading cause was right.
"""

from __future__ import annotations

import argparse
import csv
import fnmatch
import hashlib
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
MANIFEST = HERE / "manifest.tsv"
STANDINS = HERE / "standins"
FINE = ("healthy", "short", "latent")  # nothing that hurts in the time given
SURE = 0.9


@dataclass(frozen=True)
class Program:
    """One row of the manifest."""

    id: str
    repo: str
    workdir: str
    path: str
    arguments: str
    expected: str
    causes: tuple[str, ...]

    @property
    def half(self) -> str:
        digest = hashlib.sha256(self.repo.lower().encode()).hexdigest()
        return "unseen" if int(digest, 16) % 2 else "tune"


@dataclass(frozen=True)
class Result:
    """What came of one program."""

    id: str
    same_output: bool
    same_exit: bool
    bare_seconds: float
    verdict: str
    hypotheses: list[dict[str, Any]]  # cause, confidence, basis
    summary: str


def programs(manifest: Path) -> list[Program]:
    with open(manifest, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    return [
        Program(
            row["id"], row["repo"], row["workdir"], row["path"], row["arguments"], row["expected"],
            tuple(cause.strip() for cause in row["causes"].split(",") if cause.strip()),
        )
        for row in rows
    ]  # fmt: skip


def run(program: Program, root: Path, timeout: float) -> Result:
    """Bare, then observed, each in a fresh copy of the checkout: some programs go on from what they saved."""
    checkout = root / "checkouts" / program.repo.replace("/", "__")
    words = [program.path, *shlex.split(program.arguments)]
    with tempfile.TemporaryDirectory(prefix="real-") as scratch:
        record = Path(scratch) / "run.tdx"
        began = time.monotonic()
        bare = _call([sys.executable, *words], _copy(checkout, scratch, "bare") / program.workdir, root, timeout)
        seconds = time.monotonic() - began
        command = [sys.executable, "-m", "traindx", "run", "--no-diagnosis", "--out", str(record), *words]
        folder = _copy(checkout, scratch, "observed") / program.workdir
        observed = _call(command, folder, root, timeout)
        said = _diagnosis(record, folder)
    return Result(
        program.id,
        bare[1] == observed[1],
        bare[0] == observed[0],
        round(seconds, 1),
        said.get("verdict", "no record"),
        [{key: h.get(key) for key in ("cause", "confidence", "basis")} for h in said.get("hypotheses", [])],
        said.get("summary", ""),
    )


def _copy(checkout: Path, scratch: str, name: str) -> Path:
    return Path(shutil.copytree(checkout, Path(scratch) / name, symlinks=True))


def _call(command: Sequence[str], folder: Path, root: Path, timeout: float) -> tuple[int | str, str]:
    """Exit code and standard output; a run that takes too long ends as `timeout`."""
    path = os.pathsep.join([str(STANDINS), str(root / "pkgs"), *filter(None, [os.environ.get("PYTHONPATH")])])
    environment = {
        **os.environ,
        "PYTHONPATH": path,
        "OMP_NUM_THREADS": "1",
        "MPLBACKEND": "Agg",
        "REAL_PROGRAMS": str(root.resolve()),
    }
    with tempfile.TemporaryFile("w+", errors="replace") as out:
        process = subprocess.Popen(
            command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.DEVNULL
        )
        try:
            ended: int | str = process.wait(timeout)
        except subprocess.TimeoutExpired:
            process.terminate()  # the record says so, and what came before it is kept
            process.wait()
            ended = "timeout"
        out.seek(0)
        return ended, out.read()


def _diagnosis(record: Path, folder: Path) -> dict[str, Any]:
    command = [sys.executable, "-m", "traindx", "diagnose", str(record), "--format", "json"]
    done = subprocess.run(command, cwd=folder, check=False, capture_output=True, text=True)
    try:
        return dict(json.loads(done.stdout))
    except ValueError:
        return {}


def results(chosen: Sequence[Program], root: Path, kept: Path | None, timeout: float) -> Iterator[Result]:
    known = {}
    if kept is not None and kept.exists():
        known = {row["id"]: Result(**row) for row in map(json.loads, kept.read_text().splitlines())}
    for program in chosen:
        if program.id not in known:
            known[program.id] = run(program, root, timeout)
            if kept is not None:
                with open(kept, "a", encoding="utf-8") as file:
                    file.write(json.dumps(asdict(known[program.id])) + "\n")
        yield known[program.id]


def report(pairs: Sequence[tuple[Program, Result]], verbose: bool) -> None:
    fine = [pair for pair in pairs if pair[0].expected in FINE]
    faulty = [pair for pair in pairs if pair[0].expected == "faulty"]
    print(f"{len(pairs)} programs: {len(fine)} without harm, {len(faulty)} faulty")
    same = sum(r.same_output for _, r in pairs)
    print(f"  same exit code {sum(r.same_exit for _, r in pairs)}, same output {same} (times and unseeded runs differ)")
    sick = [r for _, r in fine if r.verdict == "sick"]
    sure = [r for r in sick if r.hypotheses and r.hypotheses[0]["confidence"] >= SURE]
    print(f"  without harm: called sick {len(sick)} of {len(fine)}, {len(sure)} of them at {SURE:.0%} or more")
    if faulty:
        first = sum(bool({h["cause"] for h in r.hypotheses[:1]} & set(p.causes)) for p, r in faulty)
        three = sum(bool({h["cause"] for h in r.hypotheses[:3]} & set(p.causes)) for p, r in faulty)
        called = sum(r.verdict == "sick" for _, r in faulty)
        print(f"  faulty: cause first {first}, among three {three}, called sick {called} of {len(faulty)}")
    for basis in ("seen", "suspected"):
        named = [(p, r) for p, r in pairs if r.verdict == "sick" and r.hypotheses and r.hypotheses[0]["basis"] == basis]
        right = sum(r.hypotheses[0]["cause"] in p.causes for p, r in named)
        print(f"  leading cause {basis}: {len(named)}, right {right}")
    for program, result in pairs if verbose else ():
        leading = result.hypotheses[0] if result.hypotheses else {}
        print(f"  {program.id}: {program.expected} {','.join(program.causes)} -> {result.verdict} {leading}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--half", choices=("tune", "unseen"))
    parser.add_argument("--only", default="*")
    parser.add_argument("--results", type=Path)
    parser.add_argument("--timeout", type=float, default=300.0)
    parser.add_argument("--manifest", type=Path, default=MANIFEST)
    parser.add_argument("-v", "--verbose", action="store_true", help="a line a program; never with the unseen half")
    options = parser.parse_args()
    chosen = [
        program
        for program in programs(options.manifest)
        if options.half in (None, program.half) and fnmatch.fnmatch(program.id, options.only)
    ]
    found = list(results(chosen, options.folder, options.results, options.timeout))
    report(list(zip(chosen, found, strict=True)), options.verbose and options.half == "tune")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
