"""Counts which causes were found behind which conditions in public threads, and writes the rates that diagnosis uses.

    python -m benchmarks.base_rates [--write]

`threads.tsv` has one row per thread: somebody shows a symptom and the cause was found (README.md tells its biases);
rows graded weak are not counted, and a cause that is none of traindx's own counts as `unknown`. `judgement.tsv` adds
what literature and experience say, in cases' worth.
"""

from __future__ import annotations

import csv
import json
import sys
from collections import Counter, defaultdict
from pathlib import Path

import traindx.diagnosis
from traindx.causes import all_causes

THREADS = Path(__file__).parent / "threads.tsv"
JUDGEMENT = Path(__file__).parent / "judgement.tsv"
RATES = Path(traindx.diagnosis.__file__).parent / "base_rates.json"


def main(arguments: list[str]) -> int:
    counts = count()
    for condition, found in sorted(counts.items(), key=lambda item: -sum(item[1].values())):
        most = ", ".join(f"{cause} {n}" for cause, n in found.most_common(6))
        print(f"{condition:<22}{sum(found.values()):>4}  {most}")
    if "--write" in arguments:
        about = f"threads counted by python -m benchmarks.base_rates: {sum(counts['all'].values())}"
        held = {name: dict(sorted(found.items())) for name, found in sorted(counts.items())}
        RATES.write_text(json.dumps({"about": about, "counts": held}, indent=1) + "\n", encoding="utf-8")
    return 0


def count() -> dict[str, Counter[str]]:
    """Causes by condition, and over all of them under `all`."""
    known = all_causes()
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    with open(THREADS, newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            if "weak" in row["how_sure"] or "weak" in row["evidence"] or "not seen" in row["evidence"]:
                continue
            cause = row["cause"] if row["cause"] in known else "unknown"
            counts[row["condition"]][cause] += 1
            counts["all"][cause] += 1
    with open(JUDGEMENT, newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            counts[row["condition"]][row["cause"]] += int(row["cases"])
    return counts


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
