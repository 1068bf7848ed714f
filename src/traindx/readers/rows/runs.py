"""Turns rows of named numbers into runs: finds the step column, the start of each run, and losses that are missing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...record import Run
from ...record.types import FloatArray, IntArray, distinct
from ..meaning.assembly import LogFacts, assemble, matching
from ..meaning.names import NamedSeries, Role, role_of, tokens
from ..options import Options
from .splitting import Stretch, split
from .table import BoolArray, Column, Table, training_losses

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


# A step may be logged several times with different values: once per rank, or once per micro-batch.
FEWEST_REPEATS = 3  # steps; fewer may be a coincidence
MOST_IRREGULAR = 0.1  # share of the steps that may be logged more or less often, for example where a log is cut off


def runs_from_rows(table: Table, source: str, kind: str, options: Options) -> list[Run]:
    """Return all runs in the rows, in the order of the log."""
    _drop_summary_rows(table)
    drop_padding(table)
    counter = _Counter.of(table, options)
    notes = [*table.notes, *_restore_vanished_losses(table, counter)]
    training = table.filled(*training_losses(table))
    loss = _first_dense(table, training_losses(table))
    stretches, more = split(counter.key, counter.explicit, training, loss)
    runs = []
    for number, stretch in enumerate(stretches):
        log = LogFacts(
            step_unit=counter.unit,
            runs=len(stretches),
            run=number,
            resumed_at=stretch.resumed_at,
            skipped=table.skipped,
            notes=[*notes, *more],
            config=table.config,
        )
        if counter.name:
            log.columns["step"] = counter.name
        name = source if len(stretches) == 1 else f"{source} (run {number + 1} of {len(stretches)})"
        curves = _curves(table, counter, stretch)
        if counter.unit == "step":
            log.notes += _average_repeats(curves)
        runs.append(assemble(curves, name, kind, options, log))
    return runs


def _first_dense(table: Table, names: list[str]) -> FloatArray:
    best = min(names, key=lambda name: role_of(name).rank, default=None)
    if best is None:
        return np.full(table.length, np.nan)
    column = table.columns[best]
    return column.values if len(column.rows) == table.length else table.dense(best)


def _drop_summary_rows(table: Table) -> None:
    """Drop the final row of totals of some trainers: its `train_loss` is the mean over the run, not a point of it."""
    if summaries := [name for name in table.columns if set(tokens(name)) >= {"train", "runtime"}]:
        table.drop_rows(table.filled(*summaries))


@dataclass
class _Counter:
    """The number of each row. `key` orders the rows and shows restarts; `explicit` marks rows that state a number."""

    unit: str
    name: str | None
    key: FloatArray
    explicit: BoolArray

    @classmethod
    def of(cls, table: Table, options: Options) -> _Counter:
        name = matching(options.step, table.columns) if options.step else _step_column(table)
        epoch = next((n for n in table.columns if role_of(n).kind == "epoch"), None)
        if name is not None and _whole(table.columns[name].values):
            return cls._by_step(table, name, epoch)
        if epoch is not None and _counts(table, epoch):
            return cls("epoch", epoch, carry(table.dense(epoch)), table.filled(epoch))
        # No column counts, so the training losses are counted. An evaluation gets the number of the next one.
        counted = table.filled(*training_losses(table)) if training_losses(table) else np.ones(table.length, bool)
        order = np.cumsum(counted) - counted
        if epoch is not None:
            order = _restarting_with(order.astype(float), carry(table.dense(epoch)))
        return cls("row", None, order.astype(float), np.ones(table.length, bool))

    @classmethod
    def _by_step(cls, table: Table, name: str, epoch: str | None) -> _Counter:
        cells, explicit = table.dense(name), table.filled(name)
        # Other kinds of lines may have another name for the step ("iter 799", "step 800"), but never both in one row.
        for other in table.columns:
            role, rows = role_of(other), table.columns[other].rows
            if other != name and role.kind == "step" and role.weak == 0 and not explicit[rows].any():
                cells[rows] = table.columns[other].values
                explicit[rows] = True
        key = carry(cells)
        if epoch is not None:
            key = _counted_over_epochs(key, carry(table.dense(epoch)))
            _place_by_epoch(key, explicit, table.dense(epoch))
        unit = "step" if role_of(name).kind in ("step", "other", "seen") else "row"
        return cls(unit, name, key, explicit)


def _step_column(table: Table) -> str | None:
    """Return the column that counts steps: its name says so, and it holds whole numbers that are not constant."""
    found = []
    # A log with one line per epoch may always print the same step of it. Then the epoch counts.
    epochs = [n for n, c in table.columns.items() if role_of(n).kind == "epoch" and np.ptp(c.values) > 0]
    for name, column in table.columns.items():
        role = role_of(name)
        if role.kind not in ("step", "seen") or not _whole(column.values):
            continue
        if (role.weak >= 2 or epochs) and len(column.values) > 1 and np.ptp(column.values) == 0:
            continue
        found.append((role.kind == "seen", role.weak, len(column.values), name))
    if not found or _too_rare(table, [entry[-1] for entry in found]):
        return None
    _, _, most, _ = min(found, key=lambda entry: (*entry[:2], -entry[2]))
    # W&B's `_step` counts calls of the logger. A `global_step` beside it counts steps, so it is preferred.
    return min(
        found, key=lambda e: (*e[:2], not ("global" in tokens(e[3]) and 2 * e[2] >= most), -e[2], len(tokens(e[3])))
    )[-1]


def _too_rare(table: Table, steps: list[str]) -> bool:
    """Return whether too few lines name a step, as in a remark beside a value, to number the other lines by it."""
    losses = training_losses(table)
    trained = int(table.filled(*losses).sum()) if losses else 0
    numbered = int(table.filled(*steps).sum())
    return trained > 4 * numbered


def _whole(values: FloatArray) -> bool:
    """Return whether all are whole numbers that a float64 represents exactly."""
    return bool(np.all((np.abs(values) < 2.0**53) & (values == np.floor(values))))


def _counts(table: Table, name: str) -> bool:
    """Return whether the epoch can serve as the step: whole epochs, about one row of training each."""
    values = table.columns[name].values
    if not _whole(values):
        return False
    losses = training_losses(table)
    best = min(losses, key=lambda loss: role_of(loss).rank, default=None)
    cells = table.dense(name)[table.filled(best)] if best else values
    cells = cells[np.isfinite(cells)]
    return len(cells) < 2 or float(np.mean(np.diff(cells) == 0)) <= 0.5


def carry(cells: FloatArray) -> FloatArray:
    """Fill empty cells with the last number before them (those at the start, with the first number after them)."""
    known = np.isfinite(cells)
    if known.all():
        return cells
    if not known.any():
        return np.zeros(len(cells))
    last = np.maximum.accumulate(np.where(known, np.arange(len(cells)), -1))
    last[last < 0] = np.flatnonzero(known)[0]
    return cells[last]


def _counted_over_epochs(step: FloatArray, epoch: FloatArray) -> FloatArray:
    """Continue a step that restarts in every epoch. The log may name an epoch before its steps or after them."""
    back = np.flatnonzero(step[1:] < step[:-1]) + 1
    if not len(back) or np.any(epoch != np.floor(epoch)):
        return step
    # One epoch lies between two restarts. Its number is the highest that is named there.
    numbers = np.maximum.reduceat(epoch, np.r_[0, back])
    grows = np.diff(numbers) > 0
    if len(grows) > 1 and numbers[-1] == numbers[-2]:
        numbers[-1] += 1  # the log ends before it names the last epoch
        grows[-1] = True
    if np.mean(grows) < 0.8:
        return step
    ahead = np.diff(step)
    stride = float(np.median(ahead[ahead > 0])) if np.any(ahead > 0) else 1.0
    passed = np.repeat(numbers - numbers.min(), np.diff(np.r_[0, back, len(step)]))
    return np.asarray(passed * (step.max() + stride - step.min()) + step)


def _place_by_epoch(key: FloatArray, explicit: BoolArray, epoch: FloatArray) -> None:
    """Give rows with an epoch but no step, if all were written after the training, the last step of their epoch."""
    alone = np.flatnonzero(~explicit & np.isfinite(epoch))
    passed = epoch[alone]
    if len(alone) < 3 or np.any(np.diff(passed) <= 0) or 2 * len(distinct(key[alone])) > len(alone):
        return
    known = np.flatnonzero(explicit & np.isfinite(epoch))
    if len(known) > 1:
        order = np.argsort(epoch[known], kind="stable")
        key[alone] = np.floor(np.interp(passed, epoch[known][order], key[known][order]))
    elif passed[0] in (0, 1) and explicit.any():
        last = key[explicit].max()
        key[alone] = np.round((passed - passed[0] + 1) / (passed[-1] - passed[0] + 1) * last)


def _restarting_with(order: FloatArray, epoch: FloatArray) -> FloatArray:
    """Let a row count start again where the epoch goes back, because a new run begins there."""
    back = np.flatnonzero(np.diff(epoch) < -0.5) + 1
    offset = np.zeros(len(order))
    for at in back:
        offset[at:] = order[at]
    return order - offset


def _restore_vanished_losses(table: Table, counter: _Counter) -> list[str]:
    """Read a missing loss as NaN if the other training values of its row are there: some loggers leave out NaN.

    The other values (companions) are columns that are filled exactly where the loss is in the first quarter of the log.
    """
    notes = []
    for name in [] if table.blank_is_missing else training_losses(table):
        present = table.filled(name)
        rows = table.columns[name].rows
        if len(rows) < 4:
            continue
        early = np.arange(table.length) <= rows[len(rows) // 4 + 1]
        companions = [
            other
            for other in table.columns
            if other != name
            and role_of(other).kind in ("lr", "grad_norm", "accuracy", "loss")
            and role_of(other).phase in ("train", "")
            if np.array_equal(table.filled(other) & early, present & early)
        ]
        if not companions:
            continue
        vanished = ~present & np.logical_and.reduce([table.filled(other) for other in companions])
        if vanished.any():
            values = table.dense(name)
            keep = np.flatnonzero(present | vanished)
            table.columns[name] = Column(keep.astype(np.int64), values[keep])
            first = int(counter.key[np.flatnonzero(vanished)[0]])
            notes.append(
                f"{name} is missing in {int(vanished.sum())} rows from {counter.unit} {first} on, "
                "beside other training values: read as NaN"
            )
    return notes


def _curves(table: Table, counter: _Counter, stretch: Stretch) -> dict[str, NamedSeries]:
    everything = bool(stretch.keep.all())
    steps_at: dict[int, IntArray] = {}  # columns without empty cells share their row numbers, and so their steps
    curves = {}
    for name, column in table.columns.items():
        if name == counter.name and counter.unit != "epoch":
            continue
        if everything:
            steps = steps_at.get(id(column.rows))
            if steps is None:
                steps = steps_at[id(column.rows)] = counter.key[column.rows].astype(np.int64)
            curves[name] = NamedSeries(name, steps, column.values)
        elif (inside := stretch.keep[column.rows]).any():
            steps = counter.key[column.rows[inside]].astype(np.int64)
            curves[name] = NamedSeries(name, steps, column.values[inside])
    in_order = {id(c.steps): not np.any(c.steps[1:] <= c.steps[:-1]) for c in curves.values()}
    return {n: c if in_order[id(c.steps)] else tidy(c, stretch.interleaved) for n, c in curves.items()}


def tidy(curve: NamedSeries, interleaved: bool = False) -> NamedSeries:
    """Sort the points by step. A step logged twice with the same value (once per host) counts once.

    If several processes write to one log (`interleaved`), the first value of each step is kept.
    """
    steps, values = curve.steps, curve.values
    forward = np.diff(steps)
    if not np.any(forward <= 0):
        return curve
    if np.any(forward < 0):
        order = np.argsort(steps, kind="stable")
        steps, values = steps[order], values[order]
    repeated = np.r_[False, np.diff(steps) == 0]
    if not interleaved:
        with np.errstate(invalid="ignore"):
            repeated[1:] &= (values[1:] == values[:-1]) | (np.isnan(values[1:]) & np.isnan(values[:-1]))
    return NamedSeries(curve.name, steps[~repeated], values[~repeated])


def _average_repeats(curves: dict[str, NamedSeries]) -> list[str]:
    """Replace curves whose steps are logged several times by the mean per step, and return a note about it."""
    times: dict[str, int] = {}
    for name, curve in curves.items():
        moves = np.diff(curve.steps)
        if np.any(moves < 0) or np.all(moves):
            continue  # out of order, or nothing repeats
        steps, first, counts = np.unique(curve.steps, return_index=True, return_counts=True)
        usual = int(np.median(counts))
        if len(steps) < FEWEST_REPEATS or usual < 2 or np.mean(counts != usual) > MOST_IRREGULAR:
            continue
        curves[name] = NamedSeries(name, steps, np.add.reduceat(curve.values, first) / counts)
        times[name] = usual
    if not times:
        return []
    what = " and ".join(list(times)[:3])
    return [f"{what}: each step is logged {max(times.values())} times, by ranks or micro-batches; the mean is used"]
