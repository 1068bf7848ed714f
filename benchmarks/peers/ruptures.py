"""A baseline on ruptures: PELT change points in the mean of the log loss, and where the last segment lies.

ruptures finds change points and claims nothing about training. Here a last segment above the lowest one by a tenth is a
divergence (3 % of a validation loss: overfitting), a short high segment between two lower ones is a spike, and one
segment in all is a loss that is stuck.
"""

from __future__ import annotations

import numpy as np
import ruptures

from ._base import Array, Said, Table

NAME = "ruptures (baseline)"
CLAIMS = {"diverged", "spike", "stuck", "overfitting"}
MOST = 300


def say(table: Table) -> list[Said]:
    found = []
    levels, lengths = _segments(table.train)
    if len(levels):
        low = int(np.argmin(levels))
        if levels[-1] - levels[low] > np.log(1.1):
            found.append(
                Said("diverged", True, f"last segment {np.exp(levels[-1] - levels[low]):.2g} times the lowest")
            )
        if len(levels) == 1:
            found.append(Said("stuck", True, "no change point"))
        for i in range(1, len(levels) - 1):
            if levels[i] - max(levels[i - 1], levels[i + 1]) > np.log(1.3) and lengths[i] < 0.1 * sum(lengths):
                found.append(Said("spike", True, "a short high segment"))
                break
    levels, _ = _segments(table.validation)
    if len(levels) and levels[-1] - levels.min() > np.log(1.03):
        found.append(Said("overfitting", True, "last segment of the validation loss above the lowest"))
    return found


def _segments(values: Array) -> tuple[Array, list[int]]:
    values = values[np.isfinite(values)]
    if len(values) < 4 or values.min() <= 0:
        return np.empty(0), []
    size = max(1, len(values) // MOST)
    y = np.log(values[: len(values) // size * size]).reshape(-1, size).mean(axis=1)
    noise = float(np.median(np.abs(np.diff(y)))) / 0.954 or 1e-3
    ends = ruptures.Pelt(model="l2", min_size=1, jump=1).fit(y).predict(pen=3 * np.log(len(y)) * noise**2)
    starts = [0, *ends[:-1]]
    return np.array([y[a:b].mean() for a, b in zip(starts, ends, strict=True)]), [
        b - a for a, b in zip(starts, ends, strict=True)
    ]
