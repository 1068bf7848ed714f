"""How many samples feed one update, and how many updates are enough."""

from __future__ import annotations

from ..record import Run
from ._tables import typical

# A network that needs fewer than a hundred updates is rare, and a thousand leave room for any batch size.
SCARCE_UPDATES, AMPLE_UPDATES = 100.0, 1000.0
# A batch that nobody would call large, and one that is usual.
SMALL_BATCH, ORDINARY_BATCH = 16.0, 64.0


def effective_batch(run: Run) -> float | None:
    """Samples that feed one update: the batch, times the batches that are accumulated."""
    rows = typical(run, "batch_size")
    return None if rows is None or rows <= 0 else rows * run.backwards_per_step
