"""By what factor clipping shrinks the typical gradient: the median norm over the threshold.

Up to three times is what people set on purpose.
"""

from __future__ import annotations

from ...record import Run
from ...record.values import number
from ...wording import num
from .. import questions
from .._base import Missing, Sign, if_raised, ramp
from .._clipping import clip_ratios
from .._tables import median, typical

ID = "clip-far-below-norm"
QUESTION = questions.STEPS
SHOWS = "condition"


def measure(run: Run) -> Sign | Missing:
    found = clip_ratios(run)
    if found is None:
        return Missing(ID, "the run does not clip gradients, or too few clipping calls were seen")
    ratio = median(found[1]) or 0.0
    level = ramp(ratio, 3.0, 30.0, log=True)
    threshold = typical(run, "clip/threshold") or 0.0
    by_value = run.fact("clipping").get("kind") == "value"
    limit = num(number(run.fact("clipping").get("threshold")) or 0.0)
    against = (
        f"the norm after clipping (values are clipped at {limit})" if by_value else f"the threshold of {num(threshold)}"
    )
    return Sign(
        ID,
        ratio,
        level,
        f"the median gradient norm before clipping is {num(ratio)} times {against}",
        onset=int(found[0][0]) if level >= 0.5 else None,
        severity=if_raised(level, "warning"),
        values={"ratio": ratio, "threshold": threshold},
    )
