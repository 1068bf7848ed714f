"""Treats patients of the zoo with `traindx treat`, as a user would, and says what came of it.

    python -m benchmarks.treat [PATTERN] [--hosts tune|unseen] [--cache DIR] [--sample N] [--report]

Patients are the cases of the calibration corpus: edits that were shown to hurt, and healthy scripts. `--hosts` splits
them by a hash of the host's name: what is tuned in `treatments/` is tuned on the patients of `tune`, and `unseen` is
the figure to report. (The diagnosis that says what to try was fitted on all hosts.) Each patient has a folder in the
cache with its script, the answer (`answer.json`) and the time that it took; a patient with an answer is treated again
only with `--again`. `--sample N` takes N patients by turns from the causes, the same ones every time; `--report` treats
nobody and sums up what is there.

treatable    some intervention tests the fault's cause. Cured: the trials proved a cause and its fix; first: the first
             trial did; right: the proven cause is the planted one.
patch        of the cured, those with a patch; confirmed: the patched script, run once, behaves like the trial.
false cures  healthy scripts, and faults that no change of a run can cure (their causes are tested by experiments or
             not at all), that end as cured.
cost         wall-clock time of the whole treatment in multiples of its control run.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import time
from collections import defaultdict
from fnmatch import fnmatchcase
from hashlib import sha256
from pathlib import Path
from statistics import median
from typing import Any

from traindx.treatments import all_interventions
from traindx.zoo.cases import Case, all_cases
from traindx.zoo.corpus import read
from traindx.zoo.edits import HEALTHY

CORPUS = Path(__file__).parents[1] / "accuracy" / "corpus.jsonl.gz"
LIMIT = 900.0  # seconds for one patient
# Faults of the data, the validation or the task: no change of the training run is their fix.
UNTREATABLE = ("noisy-labels", "leaked-validation", "target-leakage", "train-val-mismatch", "model-too-small")


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.treat", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("pattern", nargs="?", default="*")
    parser.add_argument("--hosts", choices=("tune", "unseen"), help="the half of the hosts; both without it")
    parser.add_argument("--cache", type=Path, default=Path(".treat-cache"))
    parser.add_argument("--sample", type=int, metavar="N", help="take N patients, by turns from the causes")
    parser.add_argument("--seed", type=int, default=0, help="of the sample")
    parser.add_argument("--again", action="store_true", help="treat anew whoever has an answer")
    parser.add_argument("--report", action="store_true", help="only sum up")
    options = parser.parse_args()
    known = {row.case for row in read(CORPUS)}
    cases = [case for case in all_cases() if case.id in known]
    cases = [case for case in cases if options.pattern in case.id or fnmatchcase(case.id, options.pattern)]
    cases = [case for case in cases if options.hosts in (None, half_of(case.host))]
    if options.sample:
        cases = sample(cases, options.sample, options.seed)
    answers = {}
    for case in cases:
        answer = stored(case, options.cache)
        if (answer is None or options.again) and not options.report:
            answer = treated(case, options.cache)
        if answer is not None:
            answers[case] = answer
            print(line(case, answer), flush=True)
    report(answers)
    return 0


def half_of(host: str) -> str:
    """The half that a host belongs to, whoever asks and whenever."""
    return "unseen" if int(sha256(host.encode()).hexdigest(), 16) % 2 else "tune"


def sample(cases: list[Case], size: int, seed: int) -> list[Case]:
    """By turns: a cause that a trial can cure, a healthy script, one that cannot be cured; hosts at random."""
    pick = random.Random(seed)
    groups: dict[str, list[Case]] = defaultdict(list)
    for case in cases:
        groups[case.cause].append(case)
    for group in groups.values():
        pick.shuffle(group)
    causes = [cause for cause in sorted(groups) if cause != HEALTHY]
    pick.shuffle(causes)
    if not causes:
        return groups[HEALTHY][:size]
    order: list[Case] = []
    for turn in range(max(map(len, groups.values()), default=0)):
        for number, cause in enumerate(causes):
            order += groups[cause][turn : turn + 1]
            if number % 4 == 0 and groups.get(HEALTHY):
                order.append(groups[HEALTHY].pop())
    return list(dict.fromkeys(order))[:size]


def folder_of(case: Case, cache: Path) -> Path:
    return (cache / "patients" / case.key).resolve()


def stored(case: Case, cache: Path) -> dict[str, Any] | None:
    path = folder_of(case, cache) / "answer.json"
    return json.loads(path.read_text()) if path.exists() else None


def treated(case: Case, cache: Path) -> dict[str, Any]:
    """Runs the command in the patient's folder; an answer of our own where it failed."""
    folder = folder_of(case, cache)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "train.py").write_text(case.source, encoding="utf-8")
    words = [sys.executable, "-m", "traindx", "treat", "--format", "json", "train.py"]
    environment = {**os.environ, "XDG_CACHE_HOME": str(cache.resolve() / "trials")}
    began = time.monotonic()
    try:
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=LIMIT, env=environment)
        found = json.loads(done.stdout) if done.stdout else {"error": done.stderr[-2000:]}
        (folder / "stderr.txt").write_text(done.stderr)
    except subprocess.TimeoutExpired:
        found = {"error": f"not done after {LIMIT:g} s"}
    answer = {"case": case.id, "seconds": time.monotonic() - began, "answer": found}
    (folder / "answer.json").write_text(json.dumps(answer))
    return answer


def kind_of(case: Case) -> str:
    if case.cause == HEALTHY:
        return "healthy"
    if case.cause in UNTREATABLE:
        return "untreatable"
    tested = {cause for unit in all_interventions().values() for cause in unit.tests}
    return "treatable" if case.cause in tested else "no intervention"


def line(case: Case, answer: dict[str, Any]) -> str:
    treatment = answer["answer"].get("treatment")
    if treatment is None:
        return f"error            {case.id}  {str(answer['answer'].get('error', ''))[-160:]}"
    trials = " | ".join(f"{t['cause']}: {t['verdict']}" for t in treatment["trials"])
    named = treatment["cause"] or "-"
    return f"{treatment['verdict']:16} {case.id}  [{named}] {answer['seconds']:.0f} s  {trials}"


def report(answers: dict[Case, dict[str, Any]]) -> None:
    by_kind: dict[str, list[tuple[Case, dict[str, Any]]]] = defaultdict(list)
    errors = 0
    for case, answer in answers.items():
        treatment = answer["answer"].get("treatment")
        if treatment is None:
            errors += 1
        else:
            by_kind[kind_of(case)].append((case, treatment))
    print(f"\n{len(answers)} patients, {errors} could not be treated")
    treatable = by_kind["treatable"]
    cured = [(case, t) for case, t in treatable if t["verdict"] == "cured"]
    first = [1 for _, t in cured if t["trials"][0]["verdict"] == "cured"]
    right = [1 for case, t in cured if t["cause"] == case.cause]
    missed = [1 for _, t in treatable if t["verdict"] == "nothing-to-treat"]
    print(f"treatable: {len(treatable)}; cured {share(len(cured), len(treatable))}, by the first trial "
          f"{share(len(first), len(treatable))}, of the cured the planted cause {share(len(right), len(cured))}; "
          f"taken for healthy {share(len(missed), len(treatable))}")  # fmt: skip
    patched = [t for _, t in cured if t["patch"]]
    confirmed = [t for t in patched if t["confirmed_by_patched_run"]]
    print(f"patch: {share(len(patched), len(cured))} of the cured; confirmed {share(len(confirmed), len(patched))}")
    for kind in ("healthy", "untreatable", "no intervention"):
        group = by_kind[kind]
        false = [case.id for case, t in group if t["verdict"] == "cured"]
        print(f"{kind}: {len(group)}; cured {share(len(false), len(group))} {' '.join(false)}")
    costs = [t["seconds"] / t["control_seconds"] for _, t in treatable if t.get("control_seconds") and t["trials"]]
    if costs:
        print(f"cost: median {median(costs):.1f} times the control run ({len(costs)} treatments with trials)")
    by_cause: dict[str, list[str]] = defaultdict(list)
    for case, t in treatable:
        by_cause[case.cause].append(t["verdict"])
    for cause, verdicts in sorted(by_cause.items()):
        print(f"  {cause:26} {verdicts.count('cured')} of {len(verdicts)} cured")


def share(part: int, whole: int) -> str:
    return f"{part} of {whole} ({part / whole:.0%})" if whole else "none"


if __name__ == "__main__":
    raise SystemExit(main())
