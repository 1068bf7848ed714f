"""Cells that hold a NaN because nothing was measured there, as a data frame writes them.

A table with one row a step has its evaluation columns filled every now and then only, and some writers put `nan` into
the rest. Such a NaN is an empty cell, not a number that left the finite ones.
"""

from __future__ import annotations

import numpy as np

from ..meaning.names import Role, role_of
from .table import BoolArray, Column, Table

# Evaluations come in a rhythm: a stretch of NaN at the end much longer than those before it is no padding.
_LONGER = 2.0


def drop_padding(table: Table) -> None:
    """Empty the cells that were padded."""
    nan = {name: np.isnan(column.values) for name, column in table.columns.items()}
    suspects = [name for name in table.columns if nan[name].any()]
    if not suspects:
        return
    roles = {name: role_of(name) for name in table.columns}
    padded = [name for name in suspects if _evaluated(roles[name]) and _comes_and_goes(nan[name])]
    padded += _never_filled(table, roles, nan)
    padded += [name for name in suspects if name not in padded and _gives_way(table, name, roles, nan)]
    for name in padded:
        column, keep = table.columns[name], ~nan[name]
        if keep.any():
            table.columns[name] = Column(column.rows[keep], column.values[keep])
        else:
            del table.columns[name]


def _evaluated(role: Role) -> bool:
    return role.phase in ("validation", "test")


def _comes_and_goes(nan: BoolArray) -> bool:
    """Mostly NaN, with numbers in between: whatever turned NaN for good would not come back."""
    filled = np.flatnonzero(~nan)
    if not len(filled) or 2 * nan.sum() < len(nan):
        return False
    gaps = np.diff(np.r_[-1, filled]) - 1
    return bool(gaps.max() > 0 and len(nan) - 1 - filled[-1] <= _LONGER * gaps.max())


def _never_filled(table: Table, roles: dict[str, Role], nan: dict[str, BoolArray]) -> list[str]:
    """All evaluation columns empty throughout, among them some that no training can spoil, such as a time."""
    columns = [name for name in table.columns if _evaluated(roles[name])]
    if columns and all(nan[name].all() for name in columns) and any(roles[name].kind == "other" for name in columns):
        return columns
    return []


def _gives_way(table: Table, name: str, roles: dict[str, Role], nan: dict[str, BoolArray]) -> bool:
    """A training column that is NaN exactly in the rows that hold an evaluation."""
    if _evaluated(roles[name]):
        return False
    evaluations = [other for other in table.columns if _evaluated(roles[other]) and roles[other].kind == "loss"]
    if not evaluations:
        return False
    evaluated = np.zeros(table.length, bool)
    for other in evaluations:
        evaluated[table.columns[other].rows[~nan[other]]] = True
    rows = table.columns[name].rows
    return bool((~nan[name]).any() and np.array_equal(evaluated[rows], nan[name]))
