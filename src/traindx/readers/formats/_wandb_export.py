"""CSV exports of W&B charts: one column for each run and metric, `bright-lake-7 - train/loss`, with their extremes."""

from __future__ import annotations

import re

from ..meaning.names import role_of
from ..rows.table import Column, Table

_COLUMN = re.compile(r"(.+?) - (.+?)(__MIN|__MAX)?")


def runs_of_export(table: Table) -> dict[str, Table]:
    """The table of each run; empty where the columns are not named like that."""
    plain = [name for name in table.columns if not _COLUMN.fullmatch(name)]
    found = {name: match for name in table.columns if (match := _COLUMN.fullmatch(name))}
    counters = [name for name in plain if role_of(name).kind in ("step", "epoch", "seen") or "time" in name.lower()]
    if not found or len(counters) < len(plain) or (not any(match[3] for match in found.values()) and len(plain) != 1):
        return {}
    runs: dict[str, Table] = {}
    for name, match in found.items():
        run = runs.setdefault(match[1], Table({}, table.length, list(table.notes), blank_is_missing=True))
        if not match[3]:
            run.columns[match[2]] = table.columns[name]
    return {name: _filled_rows(run, table, plain) for name, run in runs.items() if run.columns}


def _filled_rows(run: Table, table: Table, counters: list[str]) -> Table:
    """With the counters of the rows in which this run has a value."""
    filled = run.filled(*run.columns)
    for name in counters:
        column = table.columns[name]
        keep = filled[column.rows]
        run.columns.setdefault(name, Column(column.rows[keep], column.values[keep]))
    return run
