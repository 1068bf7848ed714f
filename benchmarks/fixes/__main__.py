"""Applies the fix of every zoo fault literally, runs the result and says whether the fault is gone.

    python -m benchmarks.fixes [PATTERN] [--cache DIR] [--all]

Of each host and cause one case is taken (`--all`: every one of seed 0) that has been built with
`python -m traindx.zoo build`. The fix is that of the labelled cause on the recorded patient. A fix with a patch must
apply with `patch -p1`, run to its end, and remove the fault: the run does no worse than its healthy twin
(`traindx.zoo.harm`), or no sign of the fault is raised any more. Fixes in prose are counted apart.
"""

from __future__ import annotations

import argparse
import json
import subprocess
from collections import Counter
from dataclasses import asdict, dataclass
from fnmatch import fnmatchcase
from hashlib import sha256
from math import isfinite
from multiprocessing.context import ForkServerContext
from pathlib import Path

import traindx
from traindx.causes import Fix, all_causes
from traindx.signs import Signs, measure_all
from traindx.zoo.cases import Case, all_cases
from traindx.zoo.edits import HEALTHY
from traindx.zoo.execution import Cache, Outcome, run_directory, server
from traindx.zoo.harm import judge


@dataclass(frozen=True)
class Result:
    case: str
    cause: str
    kind: str  # prose, not applied, fails, gone, still there
    detail: str
    harmless: bool = False  # it then trains as well as the healthy twin


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.fixes", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("pattern", nargs="?", default="*")
    parser.add_argument("--cache", type=Path, default=Path(".zoo-cache"))
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--no-run", action="store_true", help="only say which fixes are patches that apply")
    options = parser.parse_args()
    cache = Cache(options.cache)
    context = server()
    results = []
    for case in _chosen(options.pattern, every=options.all):
        if cache.outcome(case) is None:
            continue
        result = _tried(case, cache, None if options.no_run else context)
        results.append(result)
        print(f"{result.kind:12} {result.case}  {result.detail}", flush=True)
    _summary(results)
    return 0


def _chosen(pattern: str, *, every: bool) -> list[Case]:
    cases = [case for case in all_cases() if case.cause != HEALTHY and case.seed == 0]
    cases = [case for case in cases if pattern in case.id or fnmatchcase(case.id, pattern)]
    if every:
        return cases
    return list({(case.host, case.cause): case for case in sorted(cases, key=lambda c: c.severity == "gross")}.values())


def _tried(case: Case, cache: Cache, context: ForkServerContext | None) -> Result:
    run = traindx.load(cache.record(case))
    signs = measure_all(run)
    fix = all_causes()[case.cause].fix(run, signs)
    if fix.patch is None:
        return Result(case.id, case.cause, "prose", fix.summary)
    patched = _applied(case, cache, fix)
    if patched is None:
        return Result(case.id, case.cause, "not applied", fix.patch)
    if context is None:
        return Result(case.id, case.cause, "patch", "\n" + fix.patch)
    outcome = _outcome(patched, context)
    if outcome.exit != 0 or not isfinite(outcome.train_loss):
        return Result(case.id, case.cause, "fails", outcome.error or f"train loss {outcome.train_loss}")
    verdict = judge(case, cache, outcome)
    harmless = verdict is not None and not verdict.valid and "mistake" not in verdict.reason
    left = _raised(case.cause, measure_all(traindx.load(patched / "run.tdx")), _raised(case.cause, signs))
    reason = f"{verdict.reason if verdict else 'no reference'}; left: {', '.join(left) or 'no sign'}"
    return Result(case.id, case.cause, "gone" if harmless or not left else "still there", reason, harmless)


def _applied(case: Case, cache: Cache, fix: Fix) -> Path | None:
    """A directory with the patched script, by the tool that a user would call."""
    key = sha256((case.source + (fix.patch or "")).encode()).hexdigest()[:20]
    directory = (cache.root / "fixes" / key).resolve()
    if (directory / "result.json").exists():
        return directory
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "train.py").write_text(case.source, encoding="utf-8")
    done = subprocess.run(["patch", "-p1", "--fuzz=0", "-s"], cwd=directory, input=fix.patch, text=True, check=False)
    return directory if done.returncode == 0 else None


def _outcome(directory: Path, context: ForkServerContext) -> Outcome:
    stored = directory / "result.json"
    if stored.exists():
        return Outcome(**json.loads(stored.read_text()))
    outcome = run_directory(directory, context)
    stored.write_text(json.dumps(asdict(outcome)))
    return outcome


def _raised(cause: str, signs: Signs, among: list[str] | None = None) -> list[str]:
    """The raised signs that show the fault, or without which it is not named."""
    known = all_causes()[cause]
    wanted = known.seen_by or known.requires or tuple(known.supports)
    found = [name for name in wanted if (sign := signs.get(name)) is not None and sign.raised]
    return found if among is None else [name for name in found if name in among]


def _summary(results: list[Result]) -> None:
    by_cause: dict[str, Counter[str]] = {}
    for result in results:
        by_cause.setdefault(result.cause, Counter())[result.kind] += 1
    for cause, counts in sorted(by_cause.items()):
        print(f"{cause:26} " + "  ".join(f"{kind} {count}" for kind, count in counts.most_common()))
    total = Counter(result.kind for result in results)
    patches = sum(total.values()) - total["prose"]
    print(f"{len(results)} faults: {patches} patches, {total['prose']} in prose")
    if patches:
        as_well = sum(result.harmless for result in results)
        print(
            f"of the patches {total['gone']} ({total['gone'] / patches:.0%}) remove the fault, {as_well} train as well "
            f"as the healthy twin, {total['fails']} fail"
        )


if __name__ == "__main__":
    raise SystemExit(main())
