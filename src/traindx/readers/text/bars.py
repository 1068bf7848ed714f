"""Progress bars: which passes belong to the training, and whether a bar shows the mean of its pass so far.

A *pass* is one run of a bar from its beginning to its end. A bar without an epoch of its own, after the training's
last one, belongs to an evaluation. Of a bar that shows a mean so far (Keras' does) only the end of a pass is a point
of a curve: on the way, the mean restarts with every epoch.
"""

from __future__ import annotations

import numpy as np

from ...record.types import FloatArray, IntArray
from ..meaning.names import role_of
from ..rows.table import BoolArray, Column, Table

POSITION, OF, MEAN = "(position)", "(of)", "(mean)"
FEWEST_POINTS = 8  # of a pass, to see from its course whether it shows a mean
SETTLES = 0.35  # late moves over early ones: a mean over k batches moves by 1/k


def settle_bars(table: Table, losses: list[str]) -> None:
    """Leave what the bars say about the training; rows of other passes and of means under way go."""
    if POSITION not in table.columns or not losses:
        return
    passes = _Passes(table, losses)
    if not len(passes.rows):
        return
    passes.name_epochs_that_follow_their_bar()
    foreign = passes.foreign()
    if foreign.any():
        _set_apart(table, passes, foreign)
        losses = [name for name in losses if name in table.columns]
        if POSITION not in table.columns or not losses:
            return
        passes = _Passes(table, losses)
    if MEAN in table.columns or passes.settle():
        _drop(table, passes.under_way())
    if "epoch" in table.columns and passes.always_finished():
        # The end of a bar says no more than the epoch does.
        for name in (POSITION, OF):
            table.columns.pop(name, None)


class _Passes:
    """The rows of the training loss that have a place in a bar, numbered by pass."""

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

    def name_epochs_that_follow_their_bar(self) -> None:
        """`Epoch 3: val_loss 2.1` below its bar: the bar's rows carry the epoch before, the first ones none."""
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

    def foreign(self) -> BoolArray:
        """Which passes are not the training's: another length, or no epoch of their own where others have one."""
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
            return np.asarray(~new_epoch & ~_higher_after(epochs))
        return np.asarray(other if counts.max() > 1 else np.zeros(count, bool))

    def settle(self) -> bool:
        """Whether the loss within passes moves ever less, as a mean of all before does."""
        values = self.table.dense(self.loss)[self.rows]
        ratios = []
        for begin, end in zip(self.first, self.last, strict=True):
            part = values[begin : end + 1]
            moves = np.abs(np.diff(part[np.isfinite(part)]))
            third = len(moves) // 3
            if len(moves) >= FEWEST_POINTS and (early := float(np.median(moves[:third]))) > 0:
                ratios.append(float(np.median(moves[-third:])) / early)
        return len(ratios) > 2 and float(np.median(ratios)) < SETTLES and float(np.quantile(ratios, 0.8)) < 2 * SETTLES

    def under_way(self) -> BoolArray:
        """Rows before the end of their pass, but for losses that are not finite; and a last pass that broke off."""
        values = self.table.dense(self.loss)[self.rows]
        away = np.ones(len(self.rows), bool)
        away[self.last] = False
        away &= np.isfinite(values)
        if len(self.last) > 1 and 2 * self.position[-1] < self.of[-1]:
            away[self.last[-1]] = bool(np.isfinite(values[-1]))
        dropped = np.zeros(self.table.length, bool)
        dropped[self.rows[away]] = len(self.first) > 1
        return dropped

    def always_finished(self) -> bool:
        """Every line of numbers stands at the end of a bar, and epochs go on."""
        epochs = self.epoch[np.isfinite(self.epoch)]
        finished = bool(np.all(self.position == self.of)) and len(self.rows) > 1
        return finished and len(epochs) == len(self.rows) and bool(np.all(np.diff(epochs) != 0))


def _differ(a: FloatArray, b: FloatArray) -> BoolArray:
    return np.asarray((a != b) & ~(np.isnan(a) & np.isnan(b)))


def _higher_after(epochs: FloatArray) -> BoolArray:
    """Where the epoch falls back, a new training begins."""
    return np.asarray(np.r_[False, np.diff(epochs) < 0])


def _set_apart(table: Table, passes: _Passes, foreign: BoolArray) -> None:
    """Take foreign passes out of the training's columns; one after every epoch is the validation."""
    of_foreign = foreign[passes.number]
    rows = passes.rows[of_foreign]
    ends = passes.rows[passes.last[foreign]]
    each_epoch = foreign.sum() >= max(2, 0.5 * (~foreign).sum())
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
            table.notes.append(f"an evaluation after the training ({name} {last:g}) is not part of its curve")
        table.columns[name] = Column(column.rows[~inside], column.values[~inside])
        if inside.all():
            del table.columns[name]
    gone = np.zeros(table.length, bool)
    gone[rows] = True
    for name in (POSITION, OF, MEAN):
        if name in table.columns:
            column = table.columns[name]
            keep = ~gone[column.rows]
            table.columns[name] = Column(column.rows[keep], column.values[keep])
            if not keep.any():
                del table.columns[name]


def _drop(table: Table, rows: BoolArray) -> None:
    for name, column in list(table.columns.items()):
        keep = ~rows[column.rows]
        table.columns[name] = Column(column.rows[keep], column.values[keep])
        if not keep.any():
            del table.columns[name]
