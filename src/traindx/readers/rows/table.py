"""A log as rows of named numbers: what most readers make, before anything is known of its meaning."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...record.types import FloatArray, IntArray
from ..meaning.names import role_of

BoolArray = NDArray[np.bool_]


@dataclass
class Column:
    """The cells of one column that hold a number: row numbers in order, and values."""

    rows: IntArray
    values: FloatArray


@dataclass
class Table:
    """A log as rows of named numbers, with most cells possibly empty."""

    columns: dict[str, Column]
    length: int
    notes: list[str] = field(default_factory=list)
    config: dict[str, Any] = field(default_factory=dict)
    skipped: int = 0
    blank_is_missing: bool = False  # an empty cell is never a NaN that the writer left out

    def dense(self, name: str) -> FloatArray:
        """One value a row; NaN where the cell is empty."""
        column = self.columns[name]
        if len(column.rows) == self.length:
            return column.values.copy()
        cells = np.full(self.length, np.nan)
        cells[column.rows] = column.values
        return cells

    def filled(self, *names: str) -> BoolArray:
        """Which rows hold a number in any of these columns."""
        if any(len(self.columns[name].rows) == self.length for name in names):
            return np.ones(self.length, bool)
        found = np.zeros(self.length, bool)
        for name in names:
            found[self.columns[name].rows] = True
        return found


def from_dense(columns: Mapping[str, FloatArray], filled: Mapping[str, BoolArray] | None = None) -> Table:
    """A table from full-length columns; cells are empty where `filled` says so, else where they are NaN."""
    length = max((len(values) for values in columns.values()), default=0)
    table = Table({}, length)
    for name, values in columns.items():
        keep = np.flatnonzero(filled[name] if filled and name in filled else ~np.isnan(values))
        if len(keep):
            table.columns[name] = Column(keep.astype(np.int64), values[keep])
    return table


def training_losses(table: Table) -> list[str]:
    roles = {name: role_of(name) for name in table.columns}
    losses = [name for name, role in roles.items() if role.kind == "loss" and role.phase in ("train", "")]
    sure = [name for name in losses if roles[name].weak == 0]
    return sure or losses
