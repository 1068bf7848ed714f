"""225 logs of a third author, who knew neither traindx nor the families of the other two: 43 styles of writing."""

from __future__ import annotations

import json
import tarfile
from pathlib import Path

from benchmarks.textbook.generate import Case

LOGS = Path(__file__).with_name("logs.tar.xz")
HALVES = {"open": "open", "closed": "held"}  # a style of writing is in one half only


def third_hand(folder: str | Path, half: str) -> list[Case]:
    """Unpack the logs into a folder, and return the cases of one half. Without a slack, no onset is scored."""
    with tarfile.open(LOGS) as archive:
        archive.extractall(folder, filter="data")
    cases = json.loads((Path(folder) / "cases.json").read_text(encoding="utf-8"))
    return [_case(number, entry) for number, entry in enumerate(cases) if entry["half"] == HALVES[half]]


def _case(number: int, entry: dict[str, object]) -> Case:
    name = str(entry["file"])
    told = {key: entry[key] for key in ("format", "verdict", "condition", "accepted")}
    return Case(
        id=Path(name).stem, family=str(entry["condition"]), variant=number, files=[name], since=None, slack=None,
        unit="", rows=0, hard=1, **told,  # type: ignore[arg-type]
    )  # fmt: skip
