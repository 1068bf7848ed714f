"""What `traindx check` finds before training, on the zoo and on programs outside it.

    python -m benchmarks.check zoo|field [--cache FOLDER] [--only PATTERN] [--seeds all] [--list]

`zoo`: every healthy host and variant, and every fault on its plain host; `field`: the programs in
`benchmarks/field/open`. Counted are false crosses (✗ on a healthy script) and exclamation marks (!), and, by cause, how
many faulty scripts got a cross, a mark or neither. Causes that take a longer training to show (SHOWS_LATER) are listed
apart. What the trials measured is kept in FOLDER under the script's hash, so that an interrupted run goes on where it
stopped and answers can be judged anew without training (after a change to observers or probes, name another folder).
"""

from __future__ import annotations

import argparse
import os
from collections import defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from fnmatch import fnmatchcase
from hashlib import sha256
from pathlib import Path

from benchmarks.check.trials import keep
from traindx.diagnosis.checks import judge_check
from traindx.record import load
from traindx.zoo.cases import all_cases

HEALTHY = "healthy"
FIELD = Path(__file__).parents[1] / "field" / "open"
# Faults that the first steps and one batch cannot show: they are about the end of a training or its generalisation.
SHOWS_LATER = {
    "adam-coupled-decay", "bad-batch", "batch-too-large", "batch-too-small", "graph-retained", "lr-decays-too-soon",
    "lr-never-decays", "no-momentum", "no-warmup", "noisy-labels", "over-regularized", "overfitting", "undertrained",
    "weight-decay-too-strong",
}  # fmt: skip


@dataclass(frozen=True)
class Patient:
    name: str
    cause: str
    source: str

    def record(self, cache: Path) -> Path:
        return cache / f"{sha256(self.source.encode()).hexdigest()[:20]}.tdx"


def of_zoo(every_seed: bool) -> Iterator[Patient]:
    for case in all_cases():
        if every_seed or case.seed == 0:
            yield Patient(case.id, case.cause, case.source)


def of_field() -> Iterator[Patient]:
    for path in sorted(FIELD.glob("*.py")):
        source = path.read_text()
        head = [line for line in source.splitlines()[:5] if line.startswith("# expect:")]
        yield Patient(path.stem, head[0].split(":")[1].strip(), source)


def measure(patients: Sequence[Patient], cache: Path, workers: int) -> dict[str, str]:
    """Makes the trials that are not kept yet; gives what went wrong, by name."""
    healthy_first = sorted(patients, key=lambda p: p.cause != HEALTHY)
    waiting = {p.record(cache): p for p in healthy_first if not p.record(cache).exists()}
    wrong = {}
    with ThreadPoolExecutor(workers) as pool:
        jobs = {pool.submit(keep, p.source, path): p for path, p in waiting.items()}
        for done, job in enumerate(as_completed(jobs), 1):
            error = job.result()
            if error:
                wrong[jobs[job].name] = error
            print(f"\r{done} of {len(jobs)}", end="", flush=True)
    print("\r", end="")
    return wrong


def judged(patient: Patient, cache: Path) -> tuple[str, list[str]]:
    """`cross`, `mark` or `silent`, and which answers were not passed."""
    path = patient.record(cache)
    if not path.exists():
        return "none", []
    found = judge_check(patient.name, load(path))
    crosses, marks = found.of("failed"), found.of("doubtful")
    lines = [f"{mark} {answer.id}: {answer.text}" for mark, group in (("✗", crosses), ("!", marks)) for answer in group]
    return ("cross" if crosses else "mark" if marks else "silent"), lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("set", choices=["zoo", "field"])
    parser.add_argument("--cache", type=Path, default=Path(".check-cache"), metavar="FOLDER")
    parser.add_argument("--only", default="*", metavar="PATTERN", help="names, such as 'mlp_digits/healthy/*'")
    parser.add_argument("--every-seed", action="store_true", help="of the zoo: all seeds, not only the first")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--list", action="store_true", help="every faulty script that got no cross")
    options = parser.parse_args()
    cache = options.cache.resolve()
    cache.mkdir(parents=True, exist_ok=True)
    os.environ["OMP_NUM_THREADS"] = "1"
    everyone = of_zoo(options.every_seed) if options.set == "zoo" else of_field()
    patients = [p for p in everyone if fnmatchcase(p.name, options.only)]
    wrong = measure(patients, cache, options.workers)
    tell(patients, cache, wrong, options.list)


def tell(patients: Sequence[Patient], cache: Path, wrong: dict[str, str], every: bool) -> None:
    by_cause: dict[str, list[tuple[Patient, str, list[str]]]] = defaultdict(list)
    for patient in patients:
        result, lines = judged(patient, cache)
        by_cause[patient.cause].append((patient, result, lines))
    well = by_cause.pop(HEALTHY, [])
    print(
        f"healthy: {len(well)} scripts, {_count(well, 'cross')} with a cross, {_count(well, 'mark')} with a mark only"
    )
    for patient, result, lines in well:
        if result in ("cross", "mark"):
            print(f"  {patient.name}\n    " + "\n    ".join(lines))
    for title, causes in (
        ("faults that show at once", sorted(set(by_cause) - SHOWS_LATER)),
        ("faults that show later", sorted(set(by_cause) & SHOWS_LATER)),
    ):
        rows = [row for cause in causes for row in by_cause[cause]]
        print(f"{title}: {len(rows)} scripts, {_share(rows)}")
        for cause in causes:
            print(f"  {cause:26s} {len(by_cause[cause]):4d}  {_share(by_cause[cause])}")
            for patient, result, lines in by_cause[cause]:
                if every and result != "cross":
                    print(f"      {patient.name}: {result}" + "".join(f"\n        {line}" for line in lines))
    for name, error in wrong.items():
        print(f"not probed: {name}: {error}")


def _count(rows: Sequence[tuple[Patient, str, list[str]]], result: str) -> int:
    return sum(found == result for _, found, _ in rows)


def _share(rows: Sequence[tuple[Patient, str, list[str]]]) -> str:
    crosses, marks = _count(rows, "cross"), _count(rows, "mark")
    return f"{crosses} with a cross ({crosses / max(1, len(rows)):.0%}), {marks} with a mark only"


if __name__ == "__main__":
    main()
