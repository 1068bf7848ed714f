"""Continues from `run` to `treat` if the verdict rests on a suspicion."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from ..diagnosis import Diagnosis


def rests_on_suspicion(diagnosis: Diagnosis) -> bool:
    """Whether an experiment can settle something: a cause is suspected, but none was seen directly."""
    if diagnosis.suspected:
        return True
    return diagnosis.verdict == "sick" and bool(diagnosis.hypotheses) and diagnosis.leading.basis == "suspected"


def prove(script: str, args: list[str], module: bool, folder: Path, stderr: TextIO) -> None:
    """Treat the script in a new process, because this one has already run it. All output goes to stderr."""
    words = [sys.executable, "-m", "traindx", "treat", *(["-m"] if module else []), script, *args]
    done = subprocess.run(words, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=False)
    print(done.stdout.decode("utf-8", "replace"), end="", file=stderr, flush=True)
