"""Where epochs begin, from a log's epoch column or from the training loader's length."""

from __future__ import annotations

import numpy as np

from ..record import Run
from ..record.types import IntArray
from .curve import curve_of, once, training_loss

MOST = 10_000  # epochs; beyond that each is a point, and borders mean nothing


@once
def epoch_borders(run: Run) -> IntArray:
    """The first step of each epoch after the first one, as far as the training loss reaches; may be empty."""
    loss = training_loss(run)
    if len(loss) == 0:
        return np.empty(0, np.int64)
    found = _from_column(run)
    if len(found) == 0:
        found = _from_loader(run, int(loss.steps[-1]))
    return np.asarray(found[(found > loss.steps[0]) & (found <= loss.steps[-1])])


def _from_column(run: Run) -> IntArray:
    """Where the whole part of the epoch grows. A fraction of 1.0 is still the first epoch's end."""
    epoch = curve_of(run.series("epoch"))
    if len(epoch) < 2:
        return np.empty(0, np.int64)
    fractional = bool(np.any(np.abs(epoch.values - np.round(epoch.values)) > 1e-6))
    whole = np.maximum(np.ceil(epoch.values - 1e-6), 1) if fractional else np.round(epoch.values)
    return epoch.steps[1:][np.diff(whole) > 0]


def _from_loader(run: Run, last: int) -> IntArray:
    if len(run.training_loaders) != 1:
        return np.empty(0, np.int64)
    batches = run.training_loaders[0].batches
    per_step = run.backwards / run.steps if run.backwards is not None and run.steps > 0 else 1.0
    if batches is None or batches / max(per_step, 1.0) < 2:
        return np.empty(0, np.int64)
    length = batches / max(per_step, 1.0)
    if last / length > MOST:
        return np.empty(0, np.int64)
    return np.asarray(np.arange(length, last + 1, length).astype(np.int64))
