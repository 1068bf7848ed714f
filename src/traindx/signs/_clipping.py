"""Each clipping call: the norm before it against its threshold."""

from __future__ import annotations

import numpy as np

from ..record import Run
from ..record.types import FloatArray, IntArray

FEWEST = 5


def clip_ratios(run: Run) -> tuple[IntArray, FloatArray] | None:
    """(steps, norm over threshold) of the clipping calls that can be paired, in order of steps."""
    norms, thresholds = run.series("clip/norm"), run.series("clip/threshold")
    if len(norms) == len(thresholds):
        limits = thresholds.values
    elif len(thresholds):
        by_step = dict(zip(thresholds.steps.tolist(), thresholds.values.tolist(), strict=True))
        limits = np.array([by_step.get(step, np.nan) for step in norms.steps.tolist()])
    else:
        return None
    usable = np.isfinite(norms.values) & np.isfinite(limits) & (limits > 1e-300) & (norms.values < 1e300)
    if usable.sum() < FEWEST:
        return None
    order = np.argsort(norms.steps[usable], kind="stable")
    ratios = norms.values[usable] / np.maximum(limits[usable], 1e-8)
    return norms.steps[usable][order], ratios[order]
