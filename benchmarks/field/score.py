"""Scores the whole tool on training programs from outside the zoo.

    python benchmarks/field/score.py SET --cache FOLDER [--only PATTERN] [--timeout SECONDS] [--corpus FILE]

SET is `open` or `closed`. The programs in `closed/` are held out: nobody reads them while changing the tool, and they
are never used for fitting weights, thresholds or confidences. One that was looked at no longer measures anything: move
it to `open/`, whose programs are there to learn from, and write a new one.

`--corpus` also writes the levels of all signs of every program, for `python -m benchmarks.accuracy` to learn from;
not for the closed set.

Each program begins with `# expect: <cause or healthy>` and may go on with `# also: <causes>`, answers
that are as good. It is run under `traindx run --no-diagnosis`; the record is kept in FOLDER under the program's name
and hash, so that only new and changed programs run again (after a change to the observer, name another folder). What is
counted: top 1 and top 3 of the faulty programs, false alarms (a healthy program called sick), missed (a faulty one
called healthy), and of the open set every wrong one with its first three hypotheses; the closed set gives totals only.
`verify.py` shows that the faults are real.
"""

from __future__ import annotations

import argparse
import fnmatch
import hashlib
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import traindx
from traindx.diagnosis import Diagnosis, diagnose
from traindx.zoo import corpus

FIELD = Path(__file__).parent
HEALTHY = "healthy"


@dataclass(frozen=True)
class Program:
    path: Path
    expect: str
    also: frozenset[str]

    @classmethod
    def at(cls, path: Path) -> Program:
        head = dict.fromkeys(("expect", "also"), "")
        for line in path.read_text().splitlines():
            if not line.startswith("# "):
                break
            key, _, value = line[2:].partition(":")
            if key in head:
                head[key] = value.strip()
        if not head["expect"]:
            raise SystemExit(f"{path}: no '# expect:' in its first lines")
        return cls(path, head["expect"], frozenset(cause.strip() for cause in head["also"].split(",") if cause.strip()))

    def record(self, cache: Path) -> Path:
        return cache / f"{self.path.stem}-{hashlib.sha256(self.path.read_bytes()).hexdigest()[:12]}.tdx"


@dataclass(frozen=True)
class Outcome:
    program: Program
    diagnosis: Diagnosis | None  # None: no record came out of the run
    error: str = ""

    @property
    def verdict(self) -> str:
        return self.diagnosis.verdict if self.diagnosis else "no record"

    @property
    def ranking(self) -> list[str]:
        return [h.cause for h in self.diagnosis.hypotheses] if self.diagnosis else []

    def among(self, first: int, lenient: bool) -> bool:
        right = {self.program.expect} | (self.program.also if lenient else frozenset())
        return any(cause in right for cause in self.ranking[:first])

    @property
    def right(self) -> bool:
        if self.program.expect == HEALTHY:
            return self.verdict == HEALTHY
        return self.among(1, lenient=True) and self.verdict == "sick"


def observe(program: Program, cache: Path, timeout: float) -> str:
    """Runs the program under traindx unless its record is there; gives what went wrong, or nothing."""
    record = program.record(cache)
    if record.exists():
        return ""
    command = [sys.executable, "-m", "traindx", "run", "--no-diagnosis", "--force", "--out"]
    partial = record.with_suffix(".partial.tdx")  # a record cut short must not be taken for the program's
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    with tempfile.TemporaryDirectory() as folder:
        try:
            done = subprocess.run(
                [*command, str(partial), str(program.path.resolve())],
                cwd=folder,
                env=environment,
                capture_output=True,
                text=True,
                timeout=timeout,
            )
        except subprocess.TimeoutExpired:
            return f"took longer than {timeout:.0f} s"
    if not partial.exists():
        return (done.stderr.strip().splitlines() or [f"exit {done.returncode} and no record"])[-1]
    partial.rename(record)
    print(".", end="", file=sys.stderr, flush=True)
    return ""


def judge(program: Program, cache: Path, error: str) -> Outcome:
    if error:
        return Outcome(program, None, error)
    return Outcome(program, diagnose(traindx.load(program.record(cache))))


def row(program: Program, cache: Path) -> corpus.Row:
    """Every program is a host of its own."""
    name, run = program.path.stem, traindx.load(program.record(cache))
    return corpus.Row.of(f"field/{name}", f"field/{name}", program.expect, "", run, sorted(program.also))


def share(hits: list[bool]) -> str:
    return f"{sum(hits):3d} of {len(hits):3d}" + (f" ({100 * sum(hits) / len(hits):.0f} %)" if hits else "")


def report(outcomes: list[Outcome], misses: bool) -> str:
    faulty = [o for o in outcomes if o.program.expect != HEALTHY]
    healthy = [o for o in outcomes if o.program.expect == HEALTHY]
    lines = [
        f"top 1, the cause itself        {share([o.among(1, lenient=False) for o in faulty])}",
        f"top 1, or an answer as good    {share([o.among(1, lenient=True) for o in faulty])}",
        f"top 3, the cause itself        {share([o.among(3, lenient=False) for o in faulty])}",
        f"top 3, or an answer as good    {share([o.among(3, lenient=True) for o in faulty])}",
        f"missed (faulty, said healthy)  {share([o.verdict == HEALTHY for o in faulty])}",
        f"faulty, said inconclusive      {share([o.verdict == 'inconclusive' for o in faulty])}",
        f"healthy, said healthy          {share([o.verdict == HEALTHY for o in healthy])}",
        f"healthy, said inconclusive     {share([o.verdict == 'inconclusive' for o in healthy])}",
        f"false alarms (said sick)       {share([o.verdict == 'sick' for o in healthy])}",
    ]
    wrong = [o for o in outcomes if not o.right]
    if not misses:
        return "\n".join([*lines, "", f"{len(wrong)} wrong"])
    lines += ["", f"{len(wrong)} wrong:"]
    for outcome in sorted(wrong, key=lambda o: (o.program.expect, o.program.path.stem)):
        said = outcome.error
        if outcome.diagnosis:
            said = ", ".join(f"{h.cause} {h.confidence:.2f}" for h in outcome.diagnosis.hypotheses[:3])
        name = outcome.program.path.stem
        lines.append(f"  {name:28s} {outcome.program.expect:24s} {outcome.verdict:13s} {said}")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("set", choices=["open", "closed"])
    parser.add_argument("--cache", type=Path, required=True, metavar="FOLDER", help="where records are kept")
    parser.add_argument("--only", nargs="+", default=["*"], metavar="PATTERN", help="file names, such as 'hf_*'")
    parser.add_argument("--timeout", type=float, default=300.0, metavar="SECONDS", help="for one program")
    parser.add_argument("--corpus", type=Path, metavar="FILE", help="write the signs' levels of every program")
    options = parser.parse_args()
    if options.corpus and options.set == "closed":
        parser.error("the closed set is not for learning from")
    cache = options.cache.resolve()
    cache.mkdir(parents=True, exist_ok=True)
    paths = sorted((FIELD / options.set).glob("*.py"))
    programs = [Program.at(p) for p in paths if any(fnmatch.fnmatch(p.stem, pattern) for pattern in options.only)]
    with ThreadPoolExecutor(2) as pool:
        errors = list(pool.map(lambda program: observe(program, cache, options.timeout), programs))
    print(file=sys.stderr)
    if options.corpus:
        seen = [program for program, error in zip(programs, errors, strict=True) if not error]
        corpus.write(options.corpus, [row(program, cache) for program in seen])
    outcomes = [judge(program, cache, error) for program, error in zip(programs, errors, strict=True)]
    print(report(outcomes, misses=options.set == "open"))


if __name__ == "__main__":
    main()
