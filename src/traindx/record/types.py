"""The value types of a run record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from .course import Details
from .forms import read

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]
Number = TypeVar("Number", np.int64, np.float64)


def evenly(length: int, most: int) -> IntArray:
    """At most `most` of the indices of `length` items, at equal distances, with both ends."""
    return np.unique(np.linspace(0, length - 1, min(length, most)).astype(np.int64))


@dataclass(frozen=True, eq=False, repr=False)
class Series:
    """One scalar over steps, in the order in which it was written. Steps may repeat or go back."""

    name: str
    steps: IntArray
    values: FloatArray

    def __len__(self) -> int:
        return len(self.steps)

    def __bool__(self) -> bool:
        return len(self.steps) > 0

    def __repr__(self) -> str:
        if not self:
            return f"<Series {self.name}: empty>"
        points = f"{len(self):,} point{'s' if len(self) > 1 else ''}"
        finite = self.finite.values
        span = f", {finite.min():.4g} to {finite.max():.4g}" if len(finite) else ""
        broken = f", {len(self) - len(finite):,} not finite" if len(finite) < len(self) else ""
        return f"<Series {self.name}: {points}, steps {self.steps.min():,} to {self.steps.max():,}{span}{broken}>"

    @property
    def finite(self) -> Series:
        """The points whose value is neither NaN nor infinite."""
        keep = np.isfinite(self.values)
        return Series(self.name, self.steps[keep], self.values[keep])

    @property
    def in_order(self) -> Series:
        """The finite points by increasing step, one per step.

        Values written directly after each other (accumulation, several ranks) become their mean. Of values written
        again later (a resume), the last one is kept.
        """
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


@dataclass(frozen=True, repr=False)
class LayerTable:
    """One quantity by step (rows) and layer (columns); NaN if it was not measured."""

    quantity: str
    steps: IntArray
    layers: tuple[str, ...]
    values: FloatArray

    def __len__(self) -> int:
        return len(self.steps)

    def __bool__(self) -> bool:
        return len(self.steps) > 0

    def __repr__(self) -> str:
        if not self:
            return f"<LayerTable {self.quantity}: empty>"
        looks = f"{len(self):,} step{'s' if len(self) > 1 else ''} of {self.steps.min():,} to {self.steps.max():,}"
        return f"<LayerTable {self.quantity}: {len(self.layers):,} layers at {looks}>"

    def column(self, layer: str) -> FloatArray:
        """Return the values of one layer, by step."""
        return self.values[:, self.layers.index(layer)]


@dataclass(frozen=True)
class Event:
    """Something that happened at a moment: a non-finite loss, a skipped step, an observer switched off."""

    kind: str
    step: int | None
    data: Mapping[str, Any] = field(default_factory=dict)
    time: float | None = None

    @cached_property
    def details(self) -> Details:
        return read(Details, self.data)


def empty_series(name: str) -> Series:
    return Series(name, np.empty(0, np.int64), np.empty(0, np.float64))


def empty_table(quantity: str) -> LayerTable:
    return LayerTable(quantity, np.empty(0, np.int64), (), np.empty((0, 0), np.float64))


def distinct(values: NDArray[Number]) -> NDArray[Number]:
    """Return the sorted distinct values, NaN once at the end.

    `np.unique` hashes, which takes up to 30 times as long for a million different numbers. Columns of a log are
    mostly in order already, and then nothing is sorted.
    """
    if not np.all(values[1:] >= values[:-1]):
        values = np.sort(values)
    if not len(values):
        return values
    new: NDArray[np.bool_] = np.concatenate([[True], values[1:] != values[:-1]])
    if values.dtype.kind == "f" and np.isnan(values[-1]):
        new[np.searchsorted(values, np.nan) + 1 :] = False
    return np.asarray(values[new])


def steps_covered(columns: Sequence[IntArray]) -> int:
    """Return how many steps a log covers, by the steps of its columns.

    A column that starts with a whole interval (1, 2, 3 …; 10, 20, 30 …) counts the steps that are done. Other columns
    (0, 10, 20 …; 49, 99 …) number the steps from 0. A column with one point counts only if all have one point.
    """
    once = {id(steps): steps for steps in columns}.values()  # columns that are filled together share their steps
    found = [distinct(steps) for steps in once if len(steps)]
    found = [steps for steps in found if len(steps) > 1] or found
    return max((int(steps[-1]) + (not _from_one(steps)) for steps in found), default=0)


def _from_one(steps: IntArray) -> bool:
    return int(steps[0]) == (int(np.median(np.diff(steps))) if len(steps) > 1 else 1)
