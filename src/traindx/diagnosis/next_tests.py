"""Which test would tell the leading hypotheses apart, with the exact command."""

from __future__ import annotations

import math
import shlex
from collections.abc import Mapping
from dataclasses import dataclass

from ..record import Run
from .model import HEALTHY, UNKNOWN
from .types import NextTest, Verdict

LEADERS = 6
WORTHWHILE = 0.08  # bits that a test must be expected to give


@dataclass(frozen=True)
class _Test:
    command: str
    settles: frozenset[str]
    why: str


def next_tests(verdict: Verdict, chances: Mapping[str, float], run: Run) -> list[NextTest]:
    """Tests ranked by how much each is expected to separate the leaders, best first."""
    leaders = sorted(chances.items(), key=lambda item: -item[1])[:LEADERS]
    script = run.facts.get("script")
    if run.kind != "observed":
        settles = [name for name, _ in leaders if name not in (HEALTHY, UNKNOWN)]
        if verdict == "healthy" or not settles:
            return []
        return [
            NextTest(
                "traindx run train.py",
                settles,
                "a log shows the curve; a run under observation also shows gradients, steps, data and wiring",
            )
        ]
    if not isinstance(script, dict) or verdict == "healthy":
        return []
    call = _call(script)
    tests = [
        _Test(
            f"traindx lr {call}",
            frozenset(
                {
                    "lr-too-high", "lr-too-low", "no-warmup", "exploding-gradients", "lr-never-decays",
                    "batch-too-small",
                }
            ),
            "a range test shows at which rate the loss falls fastest and where it turns",
        ),
        _Test(
            f"traindx check {call}",
            frozenset(
                {
                    "noisy-labels", "model-too-small", "scrambled-axes", "target-leakage", "detached-graph",
                    "params-not-in-optimizer", "over-regularized", "train-val-mismatch", "leaked-validation",
                    "softmax-wrong-axis", "wrong-loss", "init-too-small", "init-too-large", "vanishing-gradients",
                }
            ),
            "memorising one batch and following gradients tells wiring from capacity and data",
        ),
    ]  # fmt: skip
    worth = [(_information(test, leaders), test) for test in tests]
    worth.sort(key=lambda item: -item[0])
    named = dict(leaders)
    return [
        NextTest(test.command, [n for n in named if n in test.settles], test.why)
        for bits, test in worth
        if bits >= WORTHWHILE
    ]


def _call(script: Mapping[str, object]) -> str:
    argv = script.get("argv")
    words = [str(script.get("path"))] + ([str(a) for a in argv] if isinstance(argv, list) else [])
    return ("-m " if script.get("module") else "") + shlex.join(words)


def _information(test: _Test, leaders: list[tuple[str, float]]) -> float:
    """Bits gained by learning on which side of the test the truth lies."""
    total = sum(chance for _, chance in leaders)
    inside = sum(chance for name, chance in leaders if name in test.settles) / total if total else 0.0
    if not 0.0 < inside < 1.0:
        return 0.0
    return -inside * math.log2(inside) - (1 - inside) * math.log2(1 - inside)
