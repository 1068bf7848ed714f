"""The gradient noise scale against the batch in use: too large, too small."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ...record import Run
from ...wording import num
from .. import questions
from .._base import Missing, Sign, SignUnit, if_raised, ramp
from .._batch import AMPLE_UPDATES, SCARCE_UPDATES, effective_batch
from .._tables import bins, median, ordered

LARGE, SMALL = "noise-scale-large", "noise-scale-small"
FEWEST = 4
CEILING = 0.9e6


def large(run: Run) -> Sign | Missing:
    """The gradient noise scale (the batch at which noise and signal are equal) against the batch in use.

    Up to twenty times the batch is ordinary for the median of a run: averaged over steps such gradients still make
    progress, and at the end the signal is spent in every healthy run. Hundreds mean that single gradients carry next to
    no signal.
    """
    found = _noise_against_batch(run)
    if found is None:
        return Missing(LARGE, "no estimate of the gradient noise scale against a known batch size")
    scale, batch = found.typical, found.batch
    ratio = scale / batch
    level = ramp(ratio, 30.0, 300.0, log=True)
    return Sign(
        LARGE,
        ratio,
        level,
        f"the gradient noise scale is about {num(scale)} samples, {num(ratio)} times the batch size of {num(batch)}",
        severity=if_raised(level, "warning"),
        values={"noise_scale": scale, "batch": batch},
    )


def small(run: Run) -> Sign | Missing:
    """The gradient noise scale far below the batch in use: most of each batch is spent on precision nobody needs.

    That costs only where updates are scarce: training on the full data for thousands of steps has no noise at all and
    is healthy. So the level also asks for fewer than a thousand updates.
    """
    found = _noise_against_batch(run)
    if found is None or run.steps <= 0:
        return Missing(SMALL, "no estimate of the gradient noise scale against a known batch size")
    scale, batch = found.noisiest, found.batch
    ratio = scale / batch
    level = ramp(ratio, 0.1, 0.001, log=True) * ramp(run.steps, AMPLE_UPDATES, SCARCE_UPDATES, log=True)
    return Sign(
        SMALL,
        ratio,
        level,
        f"the gradient noise scale is at most {num(scale)} samples, {num(ratio)} times the batch size of {num(batch)}; "
        f"the run made {run.steps} updates",
        values={"noise_scale": scale, "batch": batch, "steps": run.steps},
    )


@dataclass(frozen=True)
class _Noise:
    """The noise scale in samples: typical, and in the noisiest quarter of the run."""

    typical: float
    noisiest: float
    batch: float


def _noise_against_batch(run: Run) -> _Noise | None:
    """None where too few estimates were made, or where gradients oppose each other.

    The estimate takes what successive gradients have in common for the signal. Late in a healthy run little of it is
    left; where steps leap across a valley the common part is negative, whatever the noise.
    """
    batch = effective_batch(run)
    estimates = ordered(run.series("noise_scale")).values
    cosines = np.clip(ordered(run.series("grad_cosine")).values, -1.0, 1.0)
    # A pair of gradients with nothing in common gives a ceiling (a million batches) in place of an estimate.
    estimates = estimates[estimates < CEILING * (batch or 0.0)]
    if batch is None or len(estimates) < FEWEST:
        return None
    if len(cosines) and cosines.mean() < -2.0 * cosines.std() / math.sqrt(len(cosines)):
        return None
    estimates = np.maximum(estimates, 0.0)
    return _Noise(median(estimates) or 0.0, max(bins(estimates, 4)), batch)


SIGNS = (
    SignUnit(LARGE, large, questions.BATCH, "dynamics"),
    SignUnit(SMALL, small, questions.BATCH, "dynamics"),
)
