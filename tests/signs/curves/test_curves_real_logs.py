"""The signs on real logs of public repositories, where the collection is at hand."""

from __future__ import annotations

import csv
import importlib.util
import os
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
LOGS = Path(os.environ.get("TRAINDX_SHARED", ROOT / ".." / "shared")) / "reallogs"

pytestmark = pytest.mark.skipif(not (LOGS / "index.tsv").is_file(), reason=f"no collection of real logs at {LOGS}")


def test_healthy_logs_raise_no_alarm_and_sick_ones_their_sign() -> None:
    spec = importlib.util.spec_from_file_location("score", ROOT / "benchmarks" / "reallogs" / "score.py")
    assert spec is not None and spec.loader is not None
    score = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(score)
    found: Counter[str] = Counter()
    total: Counter[str] = Counter()
    with open(LOGS / "index.tsv", newline="", encoding="utf-8") as file:
        for entry in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            total[entry["label"]] += 1
            found[entry["label"]] += score.is_found(entry["label"], score.raised_signs(LOGS / entry["local_path"]))
    assert found["healthy"] >= 0.95 * total["healthy"]
    assert sum(found.values()) >= 0.85 * sum(total.values()), {label: (found[label], total[label]) for label in total}
