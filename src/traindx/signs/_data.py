"""The data that training sees: inputs, labels, and how many samples and updates there are."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from ..record import Run
from ..record.data import Inputs
from ._base import ramp
from ._tables import typical


def real_inputs(run: Run, part: str) -> Inputs | None:
    """The statistics of floating-point inputs; None for token ids and the like, whose size means nothing."""
    found = run.inputs(part)
    kind = found.dtype
    return None if not found or "int" in kind or "bool" in kind or _looked_up(run) else found


def _looked_up(run: Run) -> bool:
    """Whether inputs are floats that only serve as row numbers of embeddings: no layer multiplies them by a weight."""
    embeds = any(module.type.startswith("Embedding") and module.order is not None for module in run.modules)
    return embeds and not run.first_layers


def normalises_first(run: Run) -> bool:
    """Whether a norm layer runs before the first layer with weights, so that the scale of inputs does not matter."""
    for module in run.modules:
        if module.order is not None and (module.norm or module.maps or module.recurrent):
            return module.norm
    return False


def size_within(run: Run) -> float | None:
    """The root mean square of the first layers' inputs; of several layers, the one farthest from 1."""
    sizes = [layer.rms for layer in run.first_layers if layer.rms > 0]
    return max(sizes, key=lambda size: abs(math.log(size)), default=None)


FEWEST_RARER = 10


@dataclass(frozen=True)
class Ranking:
    """The share of pairs (one rare, one common case) that the scores rank correctly: the area under the ROC curve."""

    share: float
    rarer: float

    @property
    def weak(self) -> float:
        """0 for a guess or a strong signal, 1 where it is surely better than a guess and too weak to change answers.

        Two standard errors are taken off, each at most that of so many coin tosses.
        """
        error = math.sqrt(max(self.share * (1 - self.share), 0.0) / self.rarer)
        return ramp(self.share - 2 * error, 0.52, 0.6) * ramp(self.share, 0.8, 0.7)


def ranking(run: Run) -> Ranking | None:
    found = run.training_targets.ranking
    share, rarer = found.share, found.rarer
    return None if share is None or rarer is None or rarer < FEWEST_RARER else Ranking(share, rarer)


def majority(counts: Mapping[str, float]) -> tuple[str, float] | None:
    """(class, share) of the most common class."""
    total = sum(counts.values())
    if not counts or not 0 < total < 1e300:
        return None
    name = max(counts, key=lambda found: counts[found])
    return name, counts[name] / total


def label_counts(run: Run) -> Mapping[str, float] | None:
    """Training targets by class; None where targets are no classes (values, tokens)."""
    targets = run.training_targets
    return targets.histogram if targets.histogram and targets.kind in ("class ids", "probabilities", "") else None


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
    seen, different, batches = run.repeats.hashed, run.repeats.distinct_in_all, run.repeats.batches
    if not seen or not different or not batches or batches < FEWEST_BATCHES or different > MOST_DIFFERENT * seen:
        return None
    batch = seen / batches
    low, high = different, 1e3 * different
    for _ in range(60):
        size = (low + high) / 2
        expected = size * (1 - (1 - min(batch / size, 1.0)) ** batches)
        low, high = (size, high) if expected < different else (low, size)
    return low


# A network that needs fewer than a hundred updates is rare, and a thousand leave room for any batch size.
SCARCE_UPDATES, AMPLE_UPDATES = 100.0, 1000.0
# A batch that nobody would call large, and one that is usual.
SMALL_BATCH, ORDINARY_BATCH = 16.0, 64.0


def effective_batch(run: Run) -> float | None:
    """Samples that feed one update: the batch, times the batches that are accumulated."""
    rows = typical(run, "batch_size")
    return None if rows is None or rows <= 0 else rows * run.backwards_per_step
