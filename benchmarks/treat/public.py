"""Treats public programs on which only a suspicion was raised, and says how many of the suspicions treat refutes.

    python -m benchmarks.treat.public FOLDER RECORDS [--half tune|unseen] [--cache DIR] [--minutes M]

FOLDER holds the checkouts as `benchmarks.real` takes them, RECORDS the records that it made of them. A program is
treated when its record's diagnosis suspects a cause. Of those that are healthy, short or latently faulty, a suspicion
is refuted when trials change nothing, or when the control run of treat itself finds nothing to treat; it is falsely
proven when they end as cured by a cause that is not theirs. Answers are kept in DIR, so that a run can be resumed.
"""

from __future__ import annotations

import argparse
import json
import shlex
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.real.__main__ import FINE, MANIFEST, Program, call, copied, programs
from traindx import load
from traindx.diagnosis import diagnose

LIMIT = 600.0  # seconds for one program


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.treat.public", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("records", type=Path)
    parser.add_argument("--half", choices=("tune", "unseen"))
    parser.add_argument("--cache", type=Path, default=Path(".treat-public"))
    parser.add_argument("--minutes", type=float, default=4.0, help="for one program")
    options = parser.parse_args()
    chosen = [program for program in programs(MANIFEST) if options.half in (None, program.half)]
    options.cache.mkdir(parents=True, exist_ok=True)
    counts: dict[str, int] = {}
    for program in chosen:
        suspected = suspicion(options.records / f"{program.id}.tdx")
        if suspected is None:
            continue
        outcome = judged(program, suspected, answer(program, options))
        kind = "harmless" if program.expected in FINE else "faulty"
        counts[f"{kind}: {outcome}"] = counts.get(f"{kind}: {outcome}", 0) + 1
        print(f"{program.expected:8} {suspected:24} {outcome}", flush=True)  # by no name: half of them is set aside
    print(json.dumps(counts, indent=2, sort_keys=True))
    return 0


def suspicion(record: Path) -> str | None:
    """The cause that is suspected, where nothing was seen and the verdict rests on it."""
    if not record.exists():
        return None
    found = diagnose(load(record))
    named = [h for h in found.hypotheses if h.cause not in ("healthy", "unknown")]
    return named[0].cause if found.suspected and named else None


def answer(program: Program, options: argparse.Namespace) -> dict[str, Any]:
    """What treat says, made once."""
    kept: Path = options.cache / f"{program.id}.json"
    if not kept.exists():
        checkout = options.folder / "checkouts" / program.repo.replace("/", "__")
        with tempfile.TemporaryDirectory(prefix="treat-") as scratch:
            folder = copied(checkout, scratch, "treated") / program.workdir
            words = [program.path, *shlex.split(program.arguments)]
            command = [sys.executable, "-m", "traindx", "treat", "--no-history", "--minutes", str(options.minutes)]
            _, said = call([*command, "--format", "json", *words], folder, options.folder, LIMIT)
        kept.write_text(said or "{}", encoding="utf-8")
    try:
        return dict(json.loads(kept.read_text(encoding="utf-8")))
    except ValueError:
        return {}


def judged(program: Program, suspected: str, said: dict[str, Any]) -> str:
    treatment = said.get("treatment") or {}
    verdict = treatment.get("verdict")
    basis = {h["cause"]: h.get("basis") for h in said.get("hypotheses", [])}
    if verdict in ("cured", "not-treatable") and treatment.get("cause"):
        return "proven" if treatment["cause"] in program.causes else "falsely proven"
    if verdict == "nothing-to-treat":
        return "refuted: nothing to treat"
    if basis.get(suspected) == "refuted":
        return "refuted by trials"
    return f"open ({verdict or 'no answer'})"


if __name__ == "__main__":
    sys.exit(main())
