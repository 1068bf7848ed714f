"""The gradient noise scale against the batch that each update sees."""

from __future__ import annotations

from ..record import Run
from ._facts import backwards_per_step
from ._tables import median, ordered, span, typical

FEWEST = 4
# A network that needs fewer than a hundred updates is rare, and a thousand leave room for any batch size.
SCARCE_UPDATES, AMPLE_UPDATES = 100.0, 1000.0


def effective_batch(run: Run) -> float | None:
    """Samples that feed one update: the batch, times the batches that are accumulated."""
    rows = typical(run, "batch_size")
    return None if rows is None or rows <= 0 else rows * backwards_per_step(run)


def noise_against_batch(run: Run) -> tuple[float, float] | None:
    """(noise scale, effective batch), the first as the median of its positive estimates in the first half.

    Late in a healthy run the signal is spent and every estimate is huge, so only the first half tells something. An
    estimate at or below zero says that a pair of gradients was too noisy to estimate from.
    """
    batch = effective_batch(run)
    estimates = span(ordered(run.series("noise_scale")).values, 0.0, 0.5)
    usable = estimates[estimates >= 0]
    scale = median(usable)
    if batch is None or scale is None or len(usable) < FEWEST:
        return None
    return scale, batch
