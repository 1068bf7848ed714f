"""A log as rows of named numbers: what most readers make, before the columns have a meaning."""

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
    """The cells of one column that hold a number: their row numbers, ascending, and their values."""

    rows: IntArray
    values: FloatArray


@dataclass
class Table:
    """A log as rows of named numbers. Any cell may be empty."""

    columns: dict[str, Column]
    length: int
    notes: list[str] = field(default_factory=list)
    config: dict[str, Any] = field(default_factory=dict)
    skipped: int = 0
    blank_is_missing: bool = False  # an empty cell was not measured: it is never a NaN that the logger left out

    def dense(self, name: str) -> FloatArray:
        """Return one value for each row, NaN where the cell is empty."""
        column = self.columns[name]
        if len(column.rows) == self.length:
            return column.values.copy()
        cells = np.full(self.length, np.nan)
        cells[column.rows] = column.values
        return cells

    def filled(self, *names: str) -> BoolArray:
        """Mark the rows that hold a number in any of these columns."""
        if any(len(self.columns[name].rows) == self.length for name in names):
            return np.ones(self.length, bool)
        found = np.zeros(self.length, bool)
        for name in names:
            found[self.columns[name].rows] = True
        return found

    def keep_cells(self, name: str, keep: BoolArray) -> None:
        """Empty the other cells of a column; remove the column where none is kept."""
        column = self.columns[name]
        self.columns[name] = Column(column.rows[keep], column.values[keep])
        if not keep.any():
            del self.columns[name]

    def drop_rows(self, rows: BoolArray) -> None:
        """Empty all cells of the marked rows."""
        for name, column in list(self.columns.items()):
            self.keep_cells(name, ~rows[column.rows])


def from_dense(columns: Mapping[str, FloatArray], filled: Mapping[str, BoolArray] | None = None) -> Table:
    """Make a table from columns of full length. Empty are the cells not in `filled`, or NaN without a `filled`."""
    length = max((len(values) for values in columns.values()), default=0)
    table = Table({}, length)
    for name, values in columns.items():
        keep = np.flatnonzero(filled[name] if filled and name in filled else ~np.isnan(values))
        if len(keep):
            table.columns[name] = Column(keep.astype(np.int64), values[keep])
    return table


def training_losses(table: Table) -> list[str]:
    """Return the columns called a training loss, or those that may be one where none is called so."""
    roles = {name: role_of(name) for name in table.columns}
    losses = [name for name, role in roles.items() if role.kind == "loss" and role.phase in ("train", "")]
    sure = [name for name in losses if roles[name].weak == 0]
    return sure or losses
