"""Which test would tell the leading hypotheses apart, with the exact command."""

from __future__ import annotations

import math
import shlex
from collections.abc import Mapping, Sequence

from ..causes import all_causes
from ..record import Run
from ..record.course import Script
from ..record.vocabulary import MASK
from .model import HEALTHY, UNKNOWN
from .types import NextTest, Verdict

LEADERS = 6
WORTHWHILE = 0.08  # bits that a test must be expected to give
OBSERVE = "a log shows the curve; a run under observation also shows gradients, steps, data and wiring"
TREAT = "controlled re-runs, one change at a time, prove or refute the likeliest causes"
# What each experiment shows. Each cause names the experiments that settle it (SETTLED_BY).
EXPERIMENTS = {
    "lr": "a range test shows at which learning rate the loss falls fastest and where it turns",
    "check": "overfitting one batch and following its gradients separates wiring faults from capacity and data",
}


def next_tests(verdict: Verdict, chances: Mapping[str, float], run: Run, suspected: str | None) -> list[NextTest]:
    """Tests ranked by how much each is expected to separate the leaders, best first."""
    leaders = sorted(chances.items(), key=lambda item: -item[1])[:LEADERS]
    if run.kind == "recorded":  # its script need not be PyTorch's
        return []
    if run.kind != "observed":
        settles = [name for name, _ in leaders if name not in (HEALTHY, UNKNOWN)]
        wanted = verdict != "healthy" and bool(settles)
        return [NextTest("traindx run train.py", settles, OBSERVE)] if wanted else []
    script = run.script
    ranks = run.distributed.world_size or 1.0
    if not script or verdict == "healthy" or ranks > 1:  # re-runs are of one process
        return []
    tests = []
    for verb, why in EXPERIMENTS.items():
        settles = [name for name, _ in leaders if verb in _settled_by(name)]
        bits = math.inf if suspected in settles else _information(settles, leaders)
        if bits >= WORTHWHILE:
            tests.append((bits, NextTest(f"traindx {verb} {call_of(script)}", settles, why)))
    found = [test for _, test in sorted(tests, key=lambda item: -item[0])]
    open_causes = [name for name, _ in leaders if name not in (HEALTHY, UNKNOWN)]
    return [*found, NextTest(f"traindx treat {call_of(script)}", open_causes, TREAT)] if open_causes else found


def _settled_by(name: str) -> Sequence[str]:
    cause = all_causes().get(name)
    return cause.settled_by if cause is not None else ()


def call_of(script: Script) -> str:
    """How the script was called; arguments that the record masks are left to the user."""
    if any(MASK in word for word in script.argv):
        return f"{script.called} <the same arguments>"
    return " ".join([script.called, *map(shlex.quote, script.argv)])


def _information(settles: Sequence[str], leaders: Sequence[tuple[str, float]]) -> float:
    """Bits gained by learning the outcome of the test."""
    total = sum(chance for _, chance in leaders)
    inside = sum(chance for name, chance in leaders if name in settles) / total if total else 0.0
    if not 0.0 < inside < 1.0:
        return 0.0
    return -inside * math.log2(inside) - (1 - inside) * math.log2(1 - inside)
