"""Finds the step of lines that name none: from the epoch and the position in it, or from a progress bar.

A *pass* is one run of a bar from its beginning to its end. A bar that comes after the last epoch and has no epoch of
its own belongs to an evaluation. Some bars (Keras, for example) show the mean of the epoch so far. Only the last value
of such a pass is a point of the loss curve, because the mean starts again with every epoch.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...record.types import FloatArray, IntArray
from ..meaning.names import role_of
from ..rows.runs import carry
from ..rows.table import BoolArray, Column, Table
from .phrases import BROKEN, Said

POSITION, OF, MEAN = "(position)", "(of)", "(mean)"
FEWEST_POINTS = 8  # changes within a pass that are needed to tell a running mean from single values
MEAN_SLOWS_DOWN = 0.35  # size of late changes over early ones; a mean over k batches changes by about 1/k


def keep_training_passes(table: Table, losses: list[str]) -> None:
    """Remove the rows of other passes, and the rows of running means before the end of their pass."""
    if POSITION not in table.columns or not losses:
        return
    passes = _Passes(table, losses)
    if not len(passes.rows):
        return
    passes.take_epochs_named_below()
    other = passes.not_of_training()
    if other.any():
        _separate(table, passes, other)
        losses = [name for name in losses if name in table.columns]
        if POSITION not in table.columns or not losses:
            return
        passes = _Passes(table, losses)
    if MEAN in table.columns or passes.show_running_mean():
        table.drop_rows(passes.unfinished_rows())
    if "epoch" in table.columns and passes.only_ends_logged():
        # The position then says no more than the epoch does.
        for name in (POSITION, OF):
            table.columns.pop(name, None)


class _Passes:
    """The rows of the training loss that have a position in a bar, and the number of the pass of each."""

    def __init__(self, table: Table, losses: list[str]) -> None:
        self.table = table
        self.loss = max(losses, key=lambda name: len(table.columns[name].rows) if name in table.columns else 0)
        rows = table.filled(*[name for name in losses if name in table.columns]) & table.filled(POSITION)
        self.rows: IntArray = np.flatnonzero(rows).astype(np.int64)
        self.position = table.dense(POSITION)[self.rows]
        self.of = table.dense(OF)[self.rows] if OF in table.columns else np.full(len(self.rows), np.nan)
        epoch = table.dense("epoch")[self.rows] if "epoch" in table.columns else np.full(len(self.rows), np.nan)
        self.epoch = epoch
        evaluated = [n for n in table.columns if role_of(n).kind == "loss" and role_of(n).phase == "validation"]
        complete = table.filled(*evaluated)[self.rows] if evaluated else np.zeros(len(self.rows), bool)
        again = (self.position[1:] == self.position[:-1]) & (complete[:-1] | _differ(epoch[1:], epoch[:-1]))
        begins = (self.position[1:] < self.position[:-1]) | _differ(self.of[1:], self.of[:-1]) | again
        self.number = np.r_[0, np.cumsum(begins)] if len(self.rows) else np.zeros(0, int)
        self.first = np.r_[0, np.flatnonzero(begins) + 1] if len(self.rows) else np.zeros(0, int)
        self.last = np.r_[self.first[1:], len(self.rows)] - 1 if len(self.rows) else self.first

    def take_epochs_named_below(self) -> None:
        """Correct the epochs of a log that names an epoch below its bar (`Epoch 3: val_loss 2.1`).

        Read from top to bottom, the rows of such a bar have the epoch before theirs, and those of the first bar none.
        """
        if "epoch" not in self.table.columns or len(self.first) < 2 or np.isfinite(self.epoch[0]):
            return
        epoch = self.table.dense("epoch")
        named = self.table.filled("epoch") & ~self.table.filled(POSITION)
        labels = np.flatnonzero(named)
        for begin, end in zip(self.first, self.last, strict=True):
            after = labels[labels > self.rows[end]]
            before = labels[labels < self.rows[begin]]
            number = epoch[after[0]] if len(after) else epoch[before[-1]] + 1 if len(before) else np.nan
            epoch[self.rows[begin : end + 1]] = number
        known = np.flatnonzero(np.isfinite(epoch)).astype(np.int64)
        if not len(known):
            return
        self.table.columns["epoch"] = Column(known, epoch[known])
        self.epoch = epoch[self.rows]

    def not_of_training(self) -> BoolArray:
        """Mark the passes that have another length than most, or no epoch of their own where most have one."""
        count = len(self.first)
        if count < 2:
            return np.zeros(count, bool)
        lengths, epochs = self.of[self.first], self.epoch[self.first]
        known = lengths[np.isfinite(lengths)]
        if not len(known):
            return np.zeros(count, bool)
        values, counts = np.unique(known, return_counts=True)
        usual = values[np.argmax(counts)] if counts.max() > 0.5 * len(known) else known[0]
        other = _differ(lengths, np.full(count, usual))
        new_epoch = np.r_[True, epochs[1:] != epochs[:-1]]
        if np.isfinite(epochs).all() and np.mean(new_epoch) >= 0.5 and new_epoch.sum() > 1:
            return np.asarray(~new_epoch)
        return np.asarray(other if counts.max() > 1 else np.zeros(count, bool))

    def show_running_mean(self) -> bool:
        """Return whether the changes of the loss get smaller within a pass, as those of a running mean do."""
        values = self.table.dense(self.loss)[self.rows]
        ratios = []
        for begin, end in zip(self.first, self.last, strict=True):
            part = values[begin : end + 1]
            moves = np.abs(np.diff(part[np.isfinite(part)]))
            third = len(moves) // 3
            if len(moves) >= FEWEST_POINTS and (early := float(np.median(moves[:third]))) > 0:
                ratios.append(float(np.median(moves[-third:])) / early)
        if len(ratios) <= 2:
            return False
        return bool(np.median(ratios) < MEAN_SLOWS_DOWN and np.quantile(ratios, 0.8) < 2 * MEAN_SLOWS_DOWN)

    def unfinished_rows(self) -> BoolArray:
        """Mark the rows before the end of their pass, and the end of a last pass that stopped before its half.

        Rows with a non-finite loss are never marked. If there is only one pass, no row is marked.
        """
        values = self.table.dense(self.loss)[self.rows]
        unfinished = np.ones(len(self.rows), bool)
        unfinished[self.last] = False
        unfinished &= np.isfinite(values)
        if len(self.last) > 1 and 2 * self.position[-1] < self.of[-1]:
            unfinished[self.last[-1]] = bool(np.isfinite(values[-1]))
        dropped = np.zeros(self.table.length, bool)
        dropped[self.rows[unfinished]] = len(self.first) > 1
        return dropped

    def only_ends_logged(self) -> bool:
        """Return whether every row is the end of a pass and has another epoch than the row before."""
        epochs = self.epoch[np.isfinite(self.epoch)]
        finished = bool(np.all(self.position == self.of)) and len(self.rows) > 1
        return finished and len(epochs) == len(self.rows) and bool(np.all(np.diff(epochs) != 0))


def _differ(a: FloatArray, b: FloatArray) -> BoolArray:
    return np.asarray((a != b) & ~(np.isnan(a) & np.isnan(b)))


def _separate(table: Table, passes: _Passes, other: BoolArray) -> None:
    """Take the other passes out of the training's columns. Passes that come after every epoch are the validation."""
    rows = passes.rows[other[passes.number]]
    ends = passes.rows[passes.last[other]]
    each_epoch = other.sum() >= max(2, 0.5 * (~other).sum())
    validated = any(role_of(n).kind == "loss" and role_of(n).phase in ("validation", "test") for n in table.columns)
    for name, column in list(table.columns.items()):
        role = role_of(name)
        if role.phase or role.kind not in ("loss", "accuracy", "perplexity"):
            continue
        inside = np.isin(column.rows, rows)
        if not inside.any():
            continue
        if each_epoch and not validated:
            at_end = np.isin(column.rows, ends)
            table.columns[f"validation {name}"] = Column(column.rows[at_end], column.values[at_end])
        elif role.kind == "loss":
            last = float(column.values[inside][-1])
            table.notes.append(f"an evaluation after the training ({name} {last:g}) is left out of the training curve")
        table.keep_cells(name, ~inside)
    for name in (POSITION, OF, MEAN):
        if name in table.columns:
            table.keep_cells(name, ~np.isin(table.columns[name].rows, rows))


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
