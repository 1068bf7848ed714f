"""Every framework with every fault is answered as the table in docs/guides/frameworks.md says.

`TRAINDX_WRITE_TABLE=1 python -m pytest tests/observe/test_framework_matrix.py` writes the rows of what is installed.
"""

from __future__ import annotations

import os
import re
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from traindx.reports import render

sys.path.insert(0, str(Path(__file__).parent / "frameworks/matrix"))
from faults import FAULTS, NEEDS, SCRIPTS, write

PAGE = Path(__file__).parents[2] / "docs/guides/frameworks.md"
ONE_SCREEN = 50


def told(framework: str) -> list[str]:
    """The framework's row of the table."""
    row = re.search(rf"^\| {framework} \|(.*)\|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert row is not None, f"{framework} is missing in {PAGE.name}"
    return [cell.strip() for cell in row[1].split("|")]


def answered(diagnosis, fault: str) -> str:
    """What a cell of the table says: the fault, and where its fix stands."""
    wanted, _ = FAULTS[fault]
    if wanted == "healthy":
        return diagnosis.verdict
    named = next((h for h in diagnosis.hypotheses if h.cause == wanted and h.confidence >= 0.9), None)
    if named is None or diagnosis.verdict != "sick":
        return "not seen"
    return "found, patched" if named.fix is not None and named.fix.patch else "found"


@pytest.mark.parametrize("framework", SCRIPTS)
def test_each_fault_is_answered_as_the_table_says(warm, tmp_path, framework):
    if framework in NEEDS and find_spec(NEEDS[framework]) is None:
        pytest.skip(f"{framework} is not installed")
    row = []
    for fault in FAULTS:
        folder = tmp_path / fault
        folder.mkdir()
        outcome = warm.traindx(write(folder, framework, fault))
        assert outcome.code == 0, outcome.err[-2000:]
        diagnosis = outcome.run.diagnose()
        text = render(diagnosis, "text")
        assert len(text.splitlines()) <= ONE_SCREEN, f"{fault}:\n{text}"
        places = re.findall(r"^ +(\S+\.py:\d+)$", text, re.MULTILINE)
        assert len(places) <= 1, f"one thing to change: {places}"
        row.append(answered(diagnosis, fault))
    if os.environ.get("TRAINDX_WRITE_TABLE"):
        page = PAGE.read_text(encoding="utf-8")
        page = page.replace(f"| {framework} | {' | '.join(told(framework))} |", f"| {framework} | {' | '.join(row)} |")
        PAGE.write_text(page, encoding="utf-8")
    assert row == told(framework)
