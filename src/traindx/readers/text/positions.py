"""Finds the step of lines that name none: from the epoch and the position in it, or from a progress bar."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...record.types import FloatArray
from ..meaning.names import role_of
from ..rows.runs import carry
from ..rows.table import Column, Table
from .bars import MEAN, OF, POSITION, keep_training_passes
from .phrases import BROKEN, Said


class Positions:
    """Adds the epoch and the position to the numbers of each line, also those named on an earlier line."""

    def __init__(self) -> None:
        self.epoch: float | None = None
        self.bar: tuple[float, float] | None = None

    def place(self, line: Said) -> dict[str, float] | None:
        """Return the row of a line; None for a line that only gives an epoch or a position."""
        if line.epoch is not None:
            self.epoch = line.epoch
        if not line.values:
            if line.position is not None and line.of is not None:
                self.bar = (line.position, line.of)
            return None
        row = dict(line.values)
        if line.evaluating:
            line = replace(line, position=None, of=None)  # a position in the evaluation, not in the training
        if line.of is not None and line.position is None:
            # `[Epoch 3/20] [Batch 10/938]`: a position in the epoch that has a name.
            batches = [name for name in row if role_of(name).kind == "step" and role_of(name).weak == 2]
            line.position = row.pop(batches[0]) if batches and self.epoch is not None else None
        if line.epoch is not None:
            row["epoch"] = line.epoch
        elif self.epoch is not None and not any(role_of(name).kind == "epoch" for name in row):
            row["epoch"] = self.epoch
        if line.position is not None:
            row[POSITION] = line.position
            if line.of is not None:
                row[OF] = line.of
        elif self.bar is not None and not any(role_of(name).kind == "step" for name in row):
            row[POSITION], row[OF] = self.bar
        return row


def resolve(table: Table, losses: list[str]) -> None:
    """Turn positions into a column `step` where the log has no step of its own."""
    table.columns.pop(BROKEN, None)
    keep_training_passes(table, losses)
    table.columns.pop(MEAN, None)
    if POSITION not in table.columns:
        return
    losses = [name for name in losses if name in table.columns]
    trained = table.filled(*losses) if losses else np.ones(table.length, bool)
    placed = table.filled(POSITION)
    steps = [name for name in table.columns if role_of(name).kind == "step" and role_of(name).weak < 2]
    counted = max((int((table.filled(name) & trained).sum()) for name in steps), default=0)
    if 2 * counted < trained.sum() and 2 * (placed & trained).sum() >= trained.sum():
        step = _step(table)
        rows = np.flatnonzero(np.isfinite(step))
        for name in steps:
            table.columns[f"{name} (as printed)"] = table.columns.pop(name)
        table.columns["step"] = Column(rows.astype(np.int64), step[rows])
    del table.columns[POSITION]
    table.columns.pop(OF, None)


def _step(table: Table) -> FloatArray:
    position = table.dense(POSITION)
    of = table.dense(OF) if OF in table.columns else np.full(table.length, np.nan)
    totals = of[np.isfinite(of)]
    if len(totals):
        # The most common total is that of the training. Other bars (evaluation, tokenizing) have other totals.
        values, counts = np.unique(totals, return_counts=True)
        usual = values[np.argmax(counts)]
        if counts.max() > 0.5 * len(totals):
            position = np.where(np.isfinite(of) & (of != usual), np.nan, position)
    if "epoch" not in table.columns:
        return position
    epoch = carry(table.dense("epoch"))
    known = np.flatnonzero(np.isfinite(position))
    turns = np.flatnonzero(np.diff(epoch[known]) > 0)
    restarts = len(turns) == 0 or np.mean(position[known[turns + 1]] <= position[known[turns]]) > 0.5
    if np.any(epoch != np.floor(epoch)) or not restarts:
        return position
    per_epoch = np.where(np.isfinite(of), of, np.nanmax(position))
    first = 0.0 if epoch[known].min(initial=1.0) <= 0 else 1.0
    return np.asarray((epoch - first) * per_epoch + position)
