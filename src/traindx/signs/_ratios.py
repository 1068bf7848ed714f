"""The update-to-weight ratio of a run: median over weight matrices, by look."""

from __future__ import annotations

import numpy as np

from ..record import Run, Series
from ._tables import median, ordered


def update_ratios(run: Run) -> Series:
    """One point a look. Weight matrices only: biases and zero-initialised tensors have no meaningful ratio early.

    Where the kinds of parameters are unknown, the ratio is over all parameters together.
    """
    matrices = {p.name for p in run.parameters if p.matrix and p.trains and not p.constant}
    table = run.layers("update_ratio")
    columns = [i for i, name in enumerate(table.layers) if name in matrices]
    steps, values = [], []
    for step, row in zip(table.steps.tolist(), table.values, strict=True):
        # A ratio of zero means that the layer is not trained; it must not count as a small step.
        ratio = median(row[i] for i in columns if row[i] > 0)
        if ratio is not None:
            steps.append(step)
            values.append(ratio)
    if values:
        return ordered(Series("update_ratio", np.asarray(steps, np.int64), np.asarray(values, np.float64)))
    whole = ordered(run.series("update_ratio"))
    moving = whole.values > 0
    return Series("update_ratio", whole.steps[moving], whole.values[moving])
