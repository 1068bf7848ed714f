"""Whether a step passes the minimum along its own direction: the median cosine of the update with the next gradient.

Positive means that, after the step, the loss rises along the direction just taken: the minimum is behind. Noise of
mini-batches gives values around zero; a healthy step leaves a gradient that still points on, a negative cosine. Full
batches at the edge of stability hover a little above zero.
"""

from __future__ import annotations

from ...record import Run
from ...wording import num, percent
from .. import questions
from .._base import Missing, Sign, if_raised, ramp
from .._tables import first_step_above, ordered, typical

ID = "step-overshoots"
QUESTION = questions.STEPS
SHOWS = "dynamics"
FEWEST = 3


def measure(run: Run) -> Sign | Missing:
    points = ordered(run.series("update_cosine"))
    cosine = typical(run, "update_cosine")
    if cosine is None or len(points) < FEWEST:
        return Missing(ID, f"fewer than {FEWEST} cosines between an update and the next gradient were measured")
    positive = float((points.values > 0).mean())
    level = ramp(cosine, 0.15, 0.6)
    return Sign(
        ID,
        cosine,
        level,
        f"after {percent(positive)} of the steps checked the loss rises along the step just taken (median cosine of "
        f"update and next gradient {num(cosine)})" + (": steps overshoot the minimum" if level >= 0.5 else ""),
        onset=first_step_above(points, 0.3) if level >= 0.5 else None,
        severity=if_raised(level, "warning"),
        values={"median": cosine, "positive_share": positive, "points": len(points)},
    )
