"""How much longer one rank of a distributed job takes before its backward than the others, as a share of a step.

Ranks wait for each other when gradients are exchanged, so the slowest one sets the pace. The time before the backward
(loading, whatever the loop does between steps, the forward) is each rank's own; the wait itself falls into the
backward. Ranks whose steps take unequal times in all do not wait for each other, and a few milliseconds do not matter.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ...record import Run
from ...record.values import number
from ...wording import num, percent
from .. import questions
from .._base import Missing, Sign, if_raised, ramp

ID = "ranks-wait"
QUESTION = questions.TIME
SHOWS = "condition"

LEAST_TIMED = 10
IN_STEP = 0.8  # the least ratio of step times of ranks that wait for each other
PARTS = ("before", "forward")


def measure(run: Run) -> Sign | Missing:
    ranks = [rank for rank in run.entries("ranks") if (number(rank.get("timed")) or 0.0) >= LEAST_TIMED]
    totals = [_seconds(rank, "total") for rank in ranks]
    if len(ranks) < 2 or min(totals) <= 0:
        return Missing(ID, "the steps of several ranks were not timed")
    if min(totals) < IN_STEP * max(totals):
        return Missing(ID, "the ranks do not step together")
    # A forward may wait for others too (buffers, synchronised batch norm), so the time before it is compared alone as
    # well, and the clearer difference counts.
    candidates = [_behind(ranks, parts) for parts in (PARTS[:1], PARTS)]
    excess, slowest = max(candidates, key=lambda found: found[0])
    own, usual = (sum(_seconds(rank, part) for part in PARTS) for rank in (ranks[slowest], _typical(ranks, slowest)))
    total = float(np.median(totals))
    share = min(max(excess / total, 0.0), 1.0)
    level = ramp(share, 0.15, 0.5) * ramp(excess, 0.002, 0.01, log=True)
    number_of = int(number(ranks[slowest].get("rank")) or 0)
    where = "loading and between steps" if candidates[0][0] >= 0.5 * excess else "in the forward pass"
    two = len(ranks) == 2
    others = f"the other rank {num(1000 * usual)} ms" if two else f"the others {num(1000 * usual)} ms (their median)"
    return Sign(
        ID,
        share,
        level,
        f"rank {number_of} takes {num(1000 * own)} ms before its backward pass ({where}), {others}; waiting takes "
        f"{percent(share)} of each step of {num(1000 * total)} ms",
        severity=if_raised(level, "warning"),
        values={"rank": number_of, "own": own, "usual": usual, "total": total, "share": share, "where": where},
    )


def _seconds(rank: Mapping[str, Any], part: str) -> float:
    return number(rank.get(part)) or 0.0


def _behind(ranks: list[Mapping[str, Any]], parts: tuple[str, ...]) -> tuple[float, int]:
    """How much longer the slowest rank takes for these parts than the others do, and which it is."""
    own = [sum(_seconds(rank, part) for part in parts) for rank in ranks]
    slowest = int(np.argmax(own))
    return own[slowest] - float(np.median(own[:slowest] + own[slowest + 1 :])), slowest


def _typical(ranks: list[Mapping[str, Any]], slowest: int) -> dict[str, float]:
    others = ranks[:slowest] + ranks[slowest + 1 :]
    return {part: float(np.median([_seconds(rank, part) for rank in others])) for part in PARTS}
