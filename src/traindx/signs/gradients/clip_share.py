"""The share of steps whose gradient was clipped.

A generous threshold catches a few per cent; many transformers clip half of their steps and train well. Nearly every
step clipped means that the threshold, not the gradient, sets the size of the steps.
"""

from __future__ import annotations

from ...record import Run
from ...wording import num, percent
from .. import questions
from .._base import Missing, Sign, ramp
from .._clipping import clip_ratios, configured_threshold
from .._tables import typical

ID = "clip-share"
QUESTION = questions.STEPS
SHOWS = "dynamics"


def measure(run: Run) -> Sign | Missing:
    found = clip_ratios(run)
    if found is None:
        return Missing(ID, "the run does not clip gradients, or too few clipping calls were seen")
    steps, ratios = found
    # A norm is above its threshold or not; of values, a few may be cut in every step without changing much.
    noticed = 1.1 if run.fact("clipping").get("kind") == "value" else 1.0
    share = float((ratios > noticed).mean())
    threshold = typical(run, "clip/threshold") or configured_threshold(run) or 0.0
    return Sign(
        ID,
        share,
        ramp(share, 0.6, 0.98),
        f"clipping reduced the gradient in {percent(share)} of {len(steps)} calls (threshold {num(threshold)})",
        values={"share": share, "calls": len(steps), "threshold": threshold},
    )
