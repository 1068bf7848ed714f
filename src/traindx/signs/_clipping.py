"""Each clipping call: the norm before clipping over the threshold, as observed or from a log's settings and norms."""

from __future__ import annotations

import numpy as np

from ..record import Run
from ..record.types import FloatArray, IntArray
from ..record.values import mapping, number

FEWEST = 5


# Trainers that log the norm before they clip it, and the settings that hold their threshold.
SETTINGS = ("max_grad_norm", "clip_grad_norm", "gradient_clip_val", "grad_clip", "clip_norm")


def configured_threshold(run: Run) -> float | None:
    """The threshold in a log's settings; None where it is absent, zero, or norms never exceed it (logged after it)."""
    config = mapping(run.fact("log").get("config"))
    found = [number(value) for key, value in config.items() if str(key).rsplit(".", 1)[-1] in SETTINGS]
    limit = next((value for value in found if value is not None and value > 0), None)
    norms = run.series("grad_norm").finite.values
    return limit if limit is not None and len(norms) and norms.max() > 1.01 * limit else None


def clip_ratios(run: Run) -> tuple[IntArray, FloatArray] | None:
    """(steps, norm over threshold) of the clipping calls that can be paired, in order of steps."""
    norms, thresholds = run.series("clip/norm"), run.series("clip/threshold")
    if len(norms) and len(norms) == len(thresholds):
        limits = thresholds.values
    elif len(thresholds):
        by_step = dict(zip(thresholds.steps.tolist(), thresholds.values.tolist(), strict=True))
        limits = np.array([by_step.get(step, np.nan) for step in norms.steps.tolist()])
    else:
        norms, limit = run.series("grad_norm"), configured_threshold(run)
        if limit is None:
            return None
        limits = np.full(len(norms), limit)
    usable = np.isfinite(norms.values) & np.isfinite(limits) & (limits > 1e-300) & (norms.values < 1e300)
    if usable.sum() < FEWEST:
        return None
    order = np.argsort(norms.steps[usable], kind="stable")
    ratios = norms.values[usable] / np.maximum(limits[usable], 1e-8)
    return norms.steps[usable][order], ratios[order]
