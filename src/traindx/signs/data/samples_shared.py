"""The share of evaluation samples that were also trained on, beyond what repeated samples explain.

Small discrete data repeat themselves: what chance gives, by the repeats within batches, is taken off first. Where only
part of the training data was hashed the share is scaled up. A pass over the training data for its own sake is no
validation.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from ...record import Run
from ...record.values import number
from ...wording import num, percent
from .. import checks, questions
from .._base import Missing, Sign, if_raised, ramp
from .._tables import typical

ID = "samples-shared"
QUESTION = questions.VALIDATION
SHOWS = "fault"
RIVAL = ("data", 1.5)
CHECK = checks.OVERLAP
FEWEST = 10
SMALLEST = 0.1  # share compared below which a count is not scaled up further
NEARLY_ALL = 0.97  # share compared from which nothing is scaled up


def _by_chance(run: Run, trained: float | None) -> float:
    """The share of any samples that would be among those trained on, because there are only so many different ones.

    With N different samples, two samples of one batch agree once in N pairs: N follows from the share that agree.
    """
    repeats = run.fact("repeats")
    if repeats.get("continuous") is True:
        return 0.0  # samples that agree in all columns are copies, however often each was copied
    total, distinct = number(repeats.get("hashed")), number(repeats.get("distinct"))
    if not total or distinct is None or not 0 < distinct < total:
        return 0.0
    repeated = 1 - distinct / total
    batch = typical(run, "batch_size")
    if not batch or batch < 2 or not trained:
        return repeated
    pairs = total * (batch - 1) / 2
    found = total - distinct
    # Few pairs make a rough estimate: two standard errors are added, in favour of chance.
    return min(1.0, max(repeated, trained * (found + 2 * math.sqrt(found)) / pairs))


def _share_compared(overlap: Mapping[str, Any]) -> float:
    """The share of the training samples that were hashed.

    Of one epoch it is the share of its batches. Over many epochs the same samples come again: how many there are in
    all follows from how many of those drawn were new.
    """
    batches = number(overlap.get("train_share_hashed")) or 1.0
    drawn, distinct = number(overlap.get("train_samples_hashed")), number(overlap.get("train_distinct"))
    again = 0.0
    if drawn and distinct and distinct < 0.95 * drawn:
        # distinct = all · (1 - exp(-drawn / all)), solved for the number of draws a sample
        low, high = 1e-6, 50.0
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if (1 - math.exp(-middle)) / middle > distinct / drawn else (low, middle)
        again = 1 - math.exp(-low)
    share = max(batches, again, SMALLEST)
    return 1.0 if share > NEARLY_ALL else share


def measure(run: Run) -> Sign | Missing:
    overlap = run.fact("overlap")
    held, shared = number(overlap.get("eval_samples")), number(overlap.get("shared"))
    if held is None or shared is None or held < FEWEST:
        return Missing(ID, "evaluation samples were not compared with training samples")
    hashed = _share_compared(overlap)
    repeated = _by_chance(run, number(overlap.get("train_distinct")))
    # Scaling up a handful of chance matches would make much of little: two standard errors are taken off.
    certain = max(0.0, shared - 2 * math.sqrt(max(shared, 0.0))) if hashed < 1 else shared
    found = min(max(certain / held, 0.0), 1.0)
    excess = max(0.0, (found - repeated) / (1 - repeated)) if repeated < 1 else 0.0
    excess = min(excess / hashed, 1.0)
    share = min(found / hashed, 1.0)
    of_all = percent(share)
    if hashed < 1:
        of_all = f"{percent(hashed)} of the training samples were compared, so about {of_all} in all"
    level = ramp(excess, 0.02, 0.3)
    if run.series("loss/validation/training_data") and not run.series("loss/validation"):
        level = min(level, 0.3)
    return Sign(
        ID,
        excess,
        level,
        f"{num(shared)} of {num(held)} evaluation samples {'was' if shared == 1 else 'were'} also trained on ({of_all}"
        + (f"; {percent(repeated)} expected because samples repeat)" if repeated >= 0.005 else ")"),
        severity=if_raised(level, "critical"),
        values={"shared": shared, "eval_samples": held, "repeated": repeated},
    )
