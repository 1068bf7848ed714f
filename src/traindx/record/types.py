"""The value types of a run record."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Series:
    """One scalar over steps. Steps are in order of writing, may repeat, and may be empty."""

    name: str
    steps: IntArray
    values: FloatArray

    def __len__(self) -> int:
        return len(self.steps)

    def __bool__(self) -> bool:
        return len(self.steps) > 0

    @property
    def finite(self) -> Series:
        """The points whose value is neither NaN nor infinite."""
        keep = np.isfinite(self.values)
        return Series(self.name, self.steps[keep], self.values[keep])

    @property
    def in_order(self) -> Series:
        """The finite points by increasing step, one a step: the mean of values written in succession (accumulation,
        several ranks), the last of those written again later (a resume)."""
        points = self.finite
        steps, values = points.steps, points.values
        moves = np.diff(steps)
        if np.any(moves == 0):
            first = np.flatnonzero(np.concatenate([[True], moves != 0]))
            counts = np.diff(np.concatenate([first, [len(steps)]]))
            steps, values = steps[first], np.add.reduceat(values / np.repeat(counts, counts), first)
        if np.any(moves < 0):
            order = np.argsort(steps, kind="stable")
            steps, values = steps[order], values[order]
            last = np.concatenate([steps[1:] != steps[:-1], [True]])
            steps, values = steps[last], values[last]
        return Series(self.name, steps, values)


@dataclass(frozen=True)
class LayerTable:
    """One quantity by step (rows) and layer (columns); NaN where it was not measured."""

    quantity: str
    steps: IntArray
    layers: tuple[str, ...]
    values: FloatArray

    def __len__(self) -> int:
        return len(self.steps)

    def __bool__(self) -> bool:
        return len(self.steps) > 0

    def column(self, layer: str) -> FloatArray:
        """The values of one layer, by step."""
        return self.values[:, self.layers.index(layer)]


@dataclass(frozen=True)
class Event:
    """Something that happened at a moment: a non-finite loss, a skipped step, an observer switched off."""

    kind: str
    step: int | None
    data: Mapping[str, Any] = field(default_factory=dict)
    time: float | None = None


def empty_series(name: str) -> Series:
    return Series(name, np.empty(0, np.int64), np.empty(0, np.float64))


def empty_table(quantity: str) -> LayerTable:
    return LayerTable(quantity, np.empty(0, np.int64), (), np.empty((0, 0), np.float64))
