"""The gradient noise scale against the batch that each update sees."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ..record import Run
from ._tables import bins, median, ordered, typical

FEWEST = 4
CEILING = 0.9e6
# A network that needs fewer than a hundred updates is rare, and a thousand leave room for any batch size.
SCARCE_UPDATES, AMPLE_UPDATES = 100.0, 1000.0


def effective_batch(run: Run) -> float | None:
    """Samples that feed one update: the batch, times the batches that are accumulated."""
    rows = typical(run, "batch_size")
    return None if rows is None or rows <= 0 else rows * run.backwards_per_step


@dataclass(frozen=True)
class Noise:
    """The noise scale in samples: typical, and in the noisiest quarter of the run."""

    typical: float
    noisiest: float
    batch: float


def noise_against_batch(run: Run) -> Noise | None:
    """None where too few estimates were made, or where gradients oppose each other.

    The estimate takes what successive gradients have in common for the signal. Late in a healthy run there is little
    left, and where steps leap across a valley there is less than nothing, whatever the noise.
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
    return Noise(median(estimates) or 0.0, max(bins(estimates, 4)), batch)
