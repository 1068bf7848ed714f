"""The results of one version of the code, a line each, in the order in which the parts ended."""

from __future__ import annotations

import hashlib
import json
import subprocess
from dataclasses import asdict
from pathlib import Path

from benchmarks.nightly.parts import ROOT, Part, Result


def version() -> str:
    """A digest of the code that is tested and of the code that tests."""
    digest = hashlib.sha256()
    for path in sorted(file for room in ("src", "benchmarks", "tests") for file in (ROOT / room).rglob("*.py")):
        digest.update(path.relative_to(ROOT).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    return f"{commit.stdout.strip() or 'unknown'}-{digest.hexdigest()[:10]}"


class Journal:
    def __init__(self, path: Path, *, fresh: bool = False) -> None:
        self._path = path
        if fresh:
            path.unlink(missing_ok=True)

    def add(self, part: Part, result: Result) -> None:
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"part": asdict(part), "result": result.as_object()}) + "\n")

    def results(self) -> dict[Part, Result]:
        found: dict[Part, Result] = {}
        lines = self._path.read_text(encoding="utf-8").splitlines() if self._path.exists() else []
        for line in lines:
            try:
                told = json.loads(line)
                found[Part(**told["part"])] = Result(**told["result"])
            except (ValueError, KeyError, TypeError):
                continue  # the run was killed while it wrote this line
        return found
