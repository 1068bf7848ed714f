"""Runs public training programs bare and observed, compares the two, and scores what traindx says of them.

    python -m benchmarks.real FOLDER [--half tune|unseen] [--only PATTERN] [--results FILE] [--records FOLDER] [--bare]

`manifest.tsv` lists the programs: repository, commit, path, arguments, which stand-in data, what is expected and why.
Nothing of theirs is in this repository: the reader provides a FOLDER with `checkouts/OWNER__REPO`, one a repository at
the manifest's commit, where `make_vision.py`, `make_vision.py full` and `make_files.py` (with REAL_PROGRAMS=FOLDER) put
generated data in the formats that the programs expect; a folder `pkgs` there may hold packages that they import. A
later sample has its own folder: `--manifest benchmarks/real/second_sample/manifest.tsv`, with its `standins` copied to
`pkgs` and its `make_*.py` run with REAL_PROGRAMS=FOLDER (commits and paths are in the manifest as well). Half of the
repositories, by a hash of their name, are `unseen`: nobody looks at them while changing the tool. Results are kept in
FILE, so that a run can be resumed; records are kept in the folder given with `--records`, so that a changed diagnosis
is scored without running anything again. The labels hold for the time that the manifest gives a program, so each is
stopped after that time and a half, or a minute. `--levels FILE` writes the levels of the tuned half's signs for the fit
(`benchmarks/accuracy`); programs with a latent fault are left out, as either answer is right for them.

Counted are: programs without harm called sick, and at which confidence, and those for which a cause is suspected;
faulty ones whose cause comes first or among the first three; by basis and by cause, how often a leading cause was
right; and with `--bare`, which runs each program without traindx too, how many print the same and end the same.
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
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from traindx.record import load
from traindx.zoo.corpus import Row, write

HERE = Path(__file__).parent
MANIFEST = HERE / "manifest.tsv"
STANDINS = HERE / "standins"
HEALTHY = "healthy"
NO_CAUSE = (HEALTHY, "unknown")
FINE = ("healthy", "short", "latent")  # nothing that hurts in the time given
SURE = 0.9
LIKELY = 0.5
SLACK = 1.5  # times the manifest's seconds
LEAST = 60.0  # seconds: programs that end by themselves have to come to their end on a busy machine too


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
    seconds: float

    @property
    def half(self) -> str:
        digest = hashlib.sha256(self.repo.lower().encode()).hexdigest()
        return "unseen" if int(digest, 16) % 2 else "tune"


@dataclass(frozen=True)
class Result:
    """What came of one program."""

    id: str
    same_output: bool | None
    same_exit: bool | None
    verdict: str
    hypotheses: list[dict[str, Any]]  # cause, confidence, basis
    summary: str


def programs(manifest: Path) -> list[Program]:
    with open(manifest, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    return [
        Program(
            row["id"], row["repo"], row["workdir"], row["path"], row["arguments"], row["expected"],
            tuple(cause.strip() for cause in row["causes"].split(",") if cause.strip()), float(row["seconds"]),
        )
        for row in rows
    ]  # fmt: skip


def run(program: Program, root: Path, records: Path, bare: bool) -> Result:
    """Observed (unless a record is there) and bare, each in a fresh copy: some programs go on from what they saved."""
    checkout = root / "checkouts" / program.repo.replace("/", "__")
    words = [program.path, *shlex.split(program.arguments)]
    record = records.resolve() / f"{program.id}.tdx"
    limit = max(LEAST, SLACK * program.seconds)
    same: list[bool | None] = [None, None]
    with tempfile.TemporaryDirectory(prefix="real-") as scratch:
        folder = copied(checkout, scratch, "observed") / program.workdir
        command = [sys.executable, "-m", "traindx", "run", "--no-diagnosis", "--out", str(record), *words]
        observed = None if record.exists() else call(command, folder, root, limit)
        if bare and observed is not None:
            alone = call([sys.executable, *words], copied(checkout, scratch, "bare") / program.workdir, root, limit)
            same = [alone[1] == observed[1], alone[0] == observed[0]]
        said = _diagnosis(record, folder)
    hypotheses = [{key: h.get(key) for key in ("cause", "confidence", "basis")} for h in said.get("hypotheses", [])]
    return Result(program.id, *same, said.get("verdict", "no record"), hypotheses, said.get("summary", ""))


def copied(checkout: Path, scratch: str, name: str) -> Path:
    for beside in checkout.parent.glob("*.*"):  # data that a program looks for one folder up
        if beside.is_file():
            shutil.copy(beside, scratch)
    return Path(shutil.copytree(checkout, Path(scratch) / name, symlinks=True))


def call(command: Sequence[str], folder: Path, root: Path, timeout: float) -> tuple[int | str, str]:
    """Exit code and standard output; a run that takes too long ends as `timeout`."""
    path = os.pathsep.join([str(root / "pkgs"), str(STANDINS), *filter(None, [os.environ.get("PYTHONPATH")])])
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


def results(chosen: Sequence[Program], root: Path, kept: Path | None, records: Path, bare: bool) -> Iterator[Result]:
    known = {}
    if kept is not None and kept.exists():
        known = {row["id"]: Result(**row) for row in map(json.loads, kept.read_text().splitlines())}
    for program in chosen:
        if program.id not in known:
            known[program.id] = run(program, root, records, bare)
            if kept is not None:
                with open(kept, "a", encoding="utf-8") as file:
                    file.write(json.dumps(asdict(known[program.id])) + "\n")
        yield known[program.id]


def write_levels(path: Path, chosen: Sequence[Program], records: Path) -> None:
    rows = []
    for program in chosen:
        record = records / f"{program.id}.tdx"
        run = load(record) if record.exists() else None
        if program.half != "tune" or program.expected == "latent" or run is None or not run.steps:
            continue
        cause, *also = program.causes if program.expected == "faulty" else (HEALTHY,)
        rows.append(Row.of(f"real/{program.id}", f"real/{program.repo}", cause, "", run, also))
    write(path, rows)
    print(f"wrote {len(rows)} rows")


def report(pairs: Sequence[tuple[Program, Result]], verbose: bool) -> None:
    fine = [pair for pair in pairs if pair[0].expected in FINE]
    faulty = [pair for pair in pairs if pair[0].expected == "faulty"]
    print(f"{len(pairs)} programs: {len(fine)} without harm, {len(faulty)} faulty")
    compared = [r for _, r in pairs if r.same_exit is not None]
    if compared:
        same = sum(bool(r.same_output) for r in compared)
        print(
            f"  bare and observed, {len(compared)}: same exit code {sum(bool(r.same_exit) for r in compared)}, "
            f"same output {same} (times and unseeded runs differ)"
        )
    _report_fine(fine)
    if faulty:
        first = sum(bool({h["cause"] for h in r.hypotheses[:1]} & set(p.causes)) for p, r in faulty)
        three = sum(bool({h["cause"] for h in r.hypotheses[:3]} & set(p.causes)) for p, r in faulty)
        called = sum(r.verdict == "sick" for _, r in faulty)
        print(f"  faulty: cause first {first}, among three {three}, called sick {called} of {len(faulty)}")
    for basis in ("seen", "suspected"):
        named = [(p, r) for p, r in pairs if r.verdict != "healthy" and _leads(r, basis)]
        likely = [(p, r) for p, r in named if r.hypotheses[0]["confidence"] >= LIKELY]
        right = [sum(r.hypotheses[0]["cause"] in p.causes for p, r in group) for group in (named, likely)]
        print(
            f"  leading cause {basis}: {len(named)}, right {right[0]}; at {LIKELY:.0%} or more {len(likely)}, "
            f"right {right[1]}"
        )
    _report_sure(pairs)
    for program, result in pairs if verbose else ():
        leading = result.hypotheses[0] if result.hypotheses else {}
        print(f"  {program.id}: {program.expected} {','.join(program.causes)} -> {result.verdict} {leading}")


def _leads(result: Result, basis: str) -> bool:
    """Whether a cause of this basis is named first."""
    if not result.hypotheses:
        return False
    leading = result.hypotheses[0]
    return leading["basis"] == basis and leading["cause"] not in NO_CAUSE


def _report_fine(fine: Sequence[tuple[Program, Result]]) -> None:
    sick = [(p, r) for p, r in fine if r.verdict == "sick"]
    wrong = [(p, r) for p, r in sick if not (r.hypotheses and r.hypotheses[0]["cause"] in p.causes)]
    sure = [r for _, r in wrong if r.hypotheses and r.hypotheses[0]["confidence"] >= SURE]
    latent = len(sick) - len(wrong)
    print(
        f"  without harm: called sick with a wrong cause {len(wrong)} of {len(fine)}, {len(sure)} of them at {SURE:.0%}"
    )
    print(f"    or more; called sick for the latent fault that they have: {latent}")
    verdicts = Counter(r.verdict for _, r in fine)
    print(f"    verdicts: {', '.join(f'{name} {count}' for name, count in verdicts.most_common())}")


def _report_sure(pairs: Sequence[tuple[Program, Result]]) -> None:
    """Per cause: how often a claim at 90 % or more was right, the latent faults of the manifest counted as right."""
    claims: dict[str, list[bool]] = {}
    for program, result in pairs:
        for hypothesis in result.hypotheses:
            if hypothesis["confidence"] >= SURE and hypothesis["cause"] not in NO_CAUSE:
                claims.setdefault(hypothesis["cause"], []).append(hypothesis["cause"] in program.causes)
    said = ", ".join(f"{cause} {sum(right)} of {len(right)}" for cause, right in sorted(claims.items()))
    print(f"  claims at {SURE:.0%} or more, right of all: {said or 'none'}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--half", choices=("tune", "unseen"))
    parser.add_argument("--only", default="*")
    parser.add_argument("--results", type=Path)
    parser.add_argument("--records", type=Path, help="where records are kept; one that is there is not made again")
    parser.add_argument("--bare", action="store_true", help="run each program without traindx too and compare")
    parser.add_argument("--levels", type=Path, help="write the signs' levels of the tuned half's records there")
    parser.add_argument("--manifest", type=Path, default=MANIFEST)
    parser.add_argument("-v", "--verbose", action="store_true", help="a line a program; never with the unseen half")
    options = parser.parse_args()
    chosen = [
        program
        for program in programs(options.manifest)
        if options.half in (None, program.half) and fnmatch.fnmatch(program.id, options.only)
    ]
    if options.levels:
        write_levels(options.levels, chosen, options.records)
        return 0
    with tempfile.TemporaryDirectory(prefix="real-records-") as scratch:
        records = options.records or Path(scratch)
        records.mkdir(parents=True, exist_ok=True)
        found = list(results(chosen, options.folder, options.results, records, options.bare))
    report(list(zip(chosen, found, strict=True)), options.verbose and options.half == "tune")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
