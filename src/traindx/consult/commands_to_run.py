"""The commands that would measure what the interview could not, best first."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec

from ..causes import all_causes
from ..diagnosis import Diagnosis
from ..record import Run

SCRIPT = "train.py"
LEADERS = 5


@dataclass(frozen=True)
class Command:
    command: str
    settles: Sequence[str]  # those of the leading causes that it can confirm or refute
    why: str


WHY = {
    "check": "one or two minutes, isolated: data, first loss, gradient flow, and whether one batch can be overfitted",
    "lr": "a minute or two, isolated: at which learning rate the loss falls fastest, and at which it diverges",
    "run": "your real run, observed: gradients, steps, data, wiring, and the operation that makes a NaN",
    "run --deep": "the same with replays: whether the batch or the step caused a spike, and the gradient noise",
    "treat": "tests the fixes of the most likely causes in short controlled runs, and shows the patch that helped",
}


def commands(diagnosis: Diagnosis, run: Run, broken: bool) -> list[Command]:
    """The commands that measure, ordered by how many of the likely causes they settle."""
    leaders = [h for h in diagnosis.hypotheses if h.cause in all_causes()][:LEADERS]
    script = _script(run)
    found = []
    for verb, why in WHY.items():
        if verb == "treat" and find_spec("traindx.commands.treat") is None:
            continue
        if verb == "run --deep" and not broken:
            continue
        settles = [h for h in leaders if verb in all_causes()[h.cause].settled_by]
        weight = sum(h.confidence for h in settles)
        found.append((weight, Command(f"traindx {verb} {script}", [h.cause for h in settles], why)))
    order = sorted(range(len(found)), key=lambda i: (-found[i][0], i))
    return [found[i][1] for i in order]


def _script(run: Run) -> str:
    script = run.fact("script")
    path = script.get("path")
    if not isinstance(path, str) or not path:
        return SCRIPT
    return ("-m " if script.get("module") else "") + shlex.quote(path)
