"""Arrays as JSON lists, rounded to six digits."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .....record.types import FloatArray, IntArray


def listed(values: FloatArray) -> list[Any]:
    """The numbers, with NaN and infinities as strings, as in a diagnosis."""
    return [_one(float(value)) for value in values]


def _one(value: float) -> float | str:
    if math.isfinite(value):
        return float(f"{value:.6g}")
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def extremes(values: FloatArray, points: int) -> IntArray:
    """The indices of the points to keep of a long curve: the lowest and the highest of each section, so that no spike
    is lost, the first NaN or infinity of each section, and both ends.
    """
    if len(values) <= points:
        return np.arange(len(values), dtype=np.int64)
    kept = {0, len(values) - 1}
    for stretch in np.array_split(np.arange(len(values)), max(1, (points - 2) // 3)):
        part = values[stretch]
        finite = np.isfinite(part)
        if not finite.all():
            kept.add(int(stretch[int(np.argmin(finite))]))
        if finite.any():
            kept.add(int(stretch[int(np.nanargmin(np.where(finite, part, np.inf)))]))
            kept.add(int(stretch[int(np.nanargmax(np.where(finite, part, -np.inf)))]))
    return np.array(sorted(kept), dtype=np.int64)
