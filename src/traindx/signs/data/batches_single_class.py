"""Whether batches hold fewer classes than chance would give: the share of a batch's most common class against that.

0 where it is what shuffling gives for this batch size, 1 where every batch holds one class. Batches of one sample say
nothing that way; there the longest run of one class is compared with what shuffling gives.
"""

from __future__ import annotations

import math

import numpy as np

from ...record import Run
from ...record.values import number
from ...wording import num, percent
from .. import checks, questions
from .._base import Missing, Sign, if_raised, ramp
from .._labels import label_counts, majority
from .._tables import typical

ID = "batches-single-class"
QUESTION = questions.DATA
SHOWS = "condition"
RIVAL = ("data", 2.0)
CHECK = checks.LABEL_ORDER
FEWEST_BATCHES = 4


def _shuffled_majority(counts: dict[str, float], rows: float) -> float:
    """The mean share of the most common class in shuffled batches of this size, by drawing a few hundred."""
    total = sum(counts.values())
    if not counts or not 1 <= rows <= 1e6 or not 0 < total < 1e300:
        return 0.0
    shares = np.array(list(counts.values())) / total
    drawn = np.random.default_rng(0).multinomial(int(rows), shares / shares.sum(), size=300)
    return float(drawn.max(axis=1).mean()) / int(rows)


def _labels_at_once(run: Run) -> float | None:
    """How many labels the loss is given: of a bag of instances, or of a graph, it is one."""
    shapes = [call.target.shape for call in run.training_losses if call.target.shape is not None]
    return float(shapes[0][0] if shapes[0] else 1) if shapes else None


def measure(run: Run) -> Sign | Missing:
    order = run.fact("label_order")
    batches, seen, expected = (number(order.get(key)) for key in ("batches", "mean_majority", "expected_majority"))
    if batches is None or seen is None or expected is None or batches < FEWEST_BATCHES:
        return Missing(ID, "the order of labels was not looked at")
    longest = number(order.get("runs"))
    counts = label_counts(run) or {}
    common = majority(counts)
    expected = max(expected, _shuffled_majority(counts, _labels_at_once(run) or typical(run, "batch_size") or 0.0))
    if expected < 0.9:
        excess = (seen - expected) / (1 - expected)
        level = ramp(excess, 0.3, 0.9)
        words = f"the most common class makes up {percent(seen)} of a batch on average ({percent(expected)} expected"
    elif longest is not None and common is not None and common[1] < 0.9:
        usual = 1 + math.log(max(batches, 2.0)) / -math.log(common[1])
        excess = longest / usual
        level = ramp(excess, 3.0, 10.0, log=True)
        words = f"one class comes up to {num(longest)} times in a row (about {num(usual)} expected"
    else:
        return Missing(ID, "batches are too small, or labels too alike, to show an order")
    return Sign(
        ID,
        excess,
        level,
        f"{words} with shuffling; {num(batches)} batches checked)",
        onset=0 if level >= 0.5 else None,
        severity=if_raised(level, "critical"),
        values={"mean_majority": seen, "expected_majority": expected, "longest_run": longest},
    )
