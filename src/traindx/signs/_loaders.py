"""The size of the training set, in samples and in updates."""

from __future__ import annotations

from ..record import Run
from ..record.values import number
from ._tables import typical

FEWEST_BATCHES = 4  # from which the size of a set is told
MOST_DIFFERENT = 0.9  # of all samples: with fewer repeats the size cannot be estimated


def dataset_size(run: Run) -> float | None:
    """Samples of the largest training set: its loader's, or estimated from repeated samples."""
    known = max((loader.size for loader in run.training_loaders if loader.size and loader.size > 0), default=None)
    return known if known is not None or run.training_loaders else _met_again(run)


def updates_per_epoch(run: Run) -> float | None:
    """Updates in one pass over the training data."""
    batches = [loader.batches for loader in run.training_loaders if loader.batches and loader.batches > 0]
    most = max(batches, default=None)
    if most is None and not run.training_loaders:
        size, batch = _met_again(run), typical(run, "batch_size")
        most = size / batch if size and batch else None
    return None if most is None else max(1.0, most / run.backwards_per_step)


def _met_again(run: Run) -> float | None:
    """The size of a set from which batches were drawn, by how many samples are met again.

    `n` batches of `b` drawn by chance from `S` samples leave S (1 - (1 - b/S)^n) different ones. Batches of one epoch
    share nothing, so that `S` comes out too large rather than too small.
    """
    repeats = run.fact("repeats")
    seen, different, batches = (number(repeats.get(key)) for key in ("hashed", "distinct_in_all", "batches"))
    if not seen or not different or not batches or batches < FEWEST_BATCHES or different > MOST_DIFFERENT * seen:
        return None
    batch = seen / batches
    low, high = different, 1e3 * different
    for _ in range(60):
        size = (low + high) / 2
        expected = size * (1 - (1 - min(batch / size, 1.0)) ** batches)
        low, high = (size, high) if expected < different else (low, size)
    return low
