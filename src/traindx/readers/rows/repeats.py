"""Steps that are written several times with different values: once a rank, or once a micro-batch."""

from __future__ import annotations

import numpy as np

from ..meaning.named_series import NamedSeries

FEWEST = 3  # steps; fewer may be a coincidence
MOST = 0.1  # of the steps may be written more or less often: a log is cut off somewhere


def average_repeats(curves: dict[str, NamedSeries]) -> list[str]:
    """Replace such curves with their mean at each step, and say so. A NaN of one rank makes the mean NaN."""
    times: dict[str, int] = {}
    for name, curve in curves.items():
        moves = np.diff(curve.steps)
        if np.any(moves < 0) or np.all(moves):
            continue  # out of order, or nothing repeats
        steps, first, counts = np.unique(curve.steps, return_index=True, return_counts=True)
        usual = int(np.median(counts))
        if len(steps) < FEWEST or usual < 2 or np.mean(counts != usual) > MOST:
            continue
        curves[name] = NamedSeries(name, steps, np.add.reduceat(curve.values, first) / counts)
        times[name] = usual
    if not times:
        return []
    what = " and ".join(list(times)[:3])
    return [f"{what}: each step is written {max(times.values())} times, by ranks or micro-batches; their mean is used"]
