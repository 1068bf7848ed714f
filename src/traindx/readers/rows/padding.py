"""Empties cells that hold a NaN only because nothing was measured there, as data frames write them.

A table with one row per step has numbers in its evaluation columns now and then, and some loggers write `nan` into the
other rows. Such a NaN stands for an empty cell. It is not a value that became NaN.
"""

from __future__ import annotations

import numpy as np

from ..meaning.names import Role, role_of
from .table import BoolArray, Table

# Evaluations come at regular distances. NaN at the end for more than this many of those distances is not padding.
_LONGER = 2.0


def drop_padding(table: Table) -> None:
    """Empty the cells whose NaN is padding."""
    nan = {name: np.isnan(column.values) for name, column in table.columns.items()}
    suspects = [name for name in table.columns if nan[name].any()]
    if not suspects:
        return
    roles = {name: role_of(name) for name in table.columns}
    padded = [name for name in suspects if _evaluated(roles[name]) and _comes_and_goes(nan[name])]
    padded += _never_filled(table, roles, nan)
    padded += [name for name in suspects if name not in padded and _nan_in_evaluation_rows(table, name, roles, nan)]
    for name in padded:
        table.keep_cells(name, ~nan[name])


def _evaluated(role: Role) -> bool:
    return role.phase in ("validation", "test")


def _comes_and_goes(nan: BoolArray) -> bool:
    """Return whether numbers come back between the NaN, which a loss that became NaN for good does not do."""
    filled = np.flatnonzero(~nan)
    if not len(filled) or 2 * nan.sum() < len(nan):
        return False
    gaps = np.diff(np.r_[-1, filled]) - 1
    return bool(gaps.max() > 0 and len(nan) - 1 - filled[-1] <= _LONGER * gaps.max())


def _never_filled(table: Table, roles: dict[str, Role], nan: dict[str, BoolArray]) -> list[str]:
    """Return the evaluation columns if all are always NaN and one of them, such as a time, cannot diverge."""
    columns = [name for name in table.columns if _evaluated(roles[name])]
    if columns and all(nan[name].all() for name in columns) and any(roles[name].kind == "other" for name in columns):
        return columns
    return []


def _nan_in_evaluation_rows(table: Table, name: str, roles: dict[str, Role], nan: dict[str, BoolArray]) -> bool:
    """Return whether this is a training column that is NaN exactly in the rows that hold an evaluation."""
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
