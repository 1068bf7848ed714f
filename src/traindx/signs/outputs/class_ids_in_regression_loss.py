"""Whether a regression loss is given class ids as targets.

Class ids are whole numbers from 0 up without gaps, in about equal numbers. Counts and ages share some of that (seldom
the evenness), ratings begin at 1, and two values are how least-squares GANs and one-hot targets look: all healthy, so
each lowers the level.
"""

from __future__ import annotations

import math

from ...record import Run
from ...record.losses import REGRESSION, LossCall
from ...record.values import histogram, number
from ...wording import num
from .. import checks, questions
from .._base import Missing, Sign, if_raised, place

ID = "class-ids-in-regression-loss"
QUESTION = questions.LOSS_INPUTS
SHOWS = "fault"
RIVAL = ("loss", 3.0)
CHECK = checks.LOSS_INPUTS
MOST_CLASSES = 1000


def _evenness(run: Run) -> float | None:
    """Entropy of the target histogram over its maximum."""
    counts = list(histogram(run.fact("targets/train").get("histogram")).values())
    total = sum(counts)
    if len(counts) < 2 or not math.isfinite(total):
        return None
    return -sum(found / total * math.log(found / total) for found in counts) / math.log(len(counts))


def _level(run: Run, call: LossCall) -> float:
    low, high, distinct = call.target.min, call.target.max, number(call.target.facts.get("distinct"))
    if call.target.facts.get("integer_valued") is not True or distinct is None or low is None or high is None:
        return 0.0
    if distinct < 3 or distinct > MOST_CLASSES:
        return 0.0
    gapless = low == 0 and high <= distinct * 1.2  # a few classes may be missing from the batches looked at
    if not gapless:
        return 0.2
    evenness = _evenness(run)
    if evenness is not None:
        return 1.0 if evenness > 0.85 else 0.4
    return 0.8 if "int" in call.target.dtype else 0.7


def measure(run: Run) -> Sign | Missing:
    calls = [call for call in run.training_losses if call.kind in REGRESSION and call.target.facts]
    if not calls:
        return Missing(ID, "no call of a regression loss was seen")
    call = max(calls, key=lambda found: _level(run, found))
    level = _level(run, call)
    distinct = number(call.target.facts.get("distinct"))
    return Sign(
        ID,
        level,
        level,
        f"{call.fn} gets targets from {num(call.target.min or 0.0)} to {num(call.target.max or 0.0)}"
        + (f", {num(distinct)} distinct integers that look like class ids" if level >= 0.5 and distinct else "")
        + place(call.site),
        onset=0 if level >= 0.5 else None,
        severity=if_raised(level, "critical"),
        values={"distinct": distinct, "fn": call.fn, "target_dtype": call.target.dtype},
    )
