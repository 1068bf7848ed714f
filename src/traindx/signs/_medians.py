"""Medians of a moving window, in numpy where it is fast: importing scipy takes longer than a small log takes in all."""

from __future__ import annotations

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from ..record.types import FloatArray

MOST_CELLS = 1 << 22  # cells of all windows; beyond it scipy, which keeps each window sorted as it moves, is faster
BLOCK = 1 << 18  # cells that are sorted at a time


def running_median(y: FloatArray, width: int) -> FloatArray:
    """Return the median of each whole window of `width` (odd) neighbours; `width - 1` values fewer than there are."""
    count = len(y) - width + 1
    if count < 1:
        return np.empty(0)
    middle = width // 2
    if len(y) * width > MOST_CELLS:
        from scipy.ndimage import median_filter

        return np.asarray(median_filter(y, size=width)[middle : middle + count])
    windows, some = sliding_window_view(y, width), max(1, BLOCK // width)
    parts = [np.partition(windows[i : i + some], middle, axis=1)[:, middle] for i in range(0, count, some)]
    return np.concatenate(parts)


def median_filter(y: FloatArray, width: int, beyond: str = "mirrored") -> FloatArray:
    """Return the median of each value and its neighbours, `width` (odd) in all.

    Beyond the ends the values are `mirrored`, or the value at the `edge` goes on.
    """
    if not len(y):
        return y
    mode = {"mirrored": "symmetric", "edge": "edge"}[beyond]
    return running_median(np.pad(y, width // 2, mode=mode), width)  # type: ignore[call-overload]
