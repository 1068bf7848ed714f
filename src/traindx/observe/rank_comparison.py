"""Compares the ranks of a job by the small records that they keep: do they hold equal weights, do some of them wait?"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from ..record.ending import Companion
from ..record.errors import RecordError
from ..record.reading import load
from ..record.run import Run
from ..record.types import FloatArray
from ..record.writer import RecordWriter
from .ranks import assumed, is_running, record_of, remove_left, world_size

COLLECT_EVERY = 15.0  # seconds; less often where that takes long
SHARE = 0.003  # of the time, at most, for collecting while the training runs
PATIENCE = 3.0  # seconds that rank 0 waits, after the script's end, until the other ranks have written theirs
MOST_NAMES = 5
# Equal weights give equal numbers, bit by bit, on equal machines; on unequal ones sums are rounded differently.
ROUNDING = 5e-6

PROJECTION, NORM = "replica_projection", "replica_norm"
BATCH_PRINT = "rank_batch"
BEFORE_BACKWARD = ("time/data", "time/between")


class RankComparison:
    """Collects what the other ranks measured into the record of rank 0: on a thread of its own, and at the end."""

    def __init__(self, folder: Path, writer: RecordWriter) -> None:
        self._folder = folder
        self._writer = writer
        self._due = time.monotonic() + COLLECT_EVERY
        with suppress(OSError):
            folder.mkdir(parents=True, exist_ok=True)
        self._companion = Companion(record_of(folder, 0))
        os.register_at_fork(after_in_child=self._companion.abandon)

    def is_due(self) -> bool:
        return time.monotonic() >= self._due

    def collect_if_due(self) -> None:
        if self.is_due():
            began = time.monotonic()
            self.collect()
            ended = time.monotonic()
            self._due = ended + max(COLLECT_EVERY, (ended - began) / SHARE)

    def collect(self) -> None:
        """Compares what is there now."""
        others, own = others_in(self._folder, world_size()), load(self._writer.path)
        # Processes that a script starts may have nothing to do with each other; those of a launcher are one job.
        one_job = not assumed() or bool(own.fact("distributed"))
        for key, value in about_ranks({0: own, **others}).items() if others and one_job else ():
            self._writer.fact(key, value)

    def finish(self) -> None:
        """The script has ended: waits a little for the other ranks, and compares what they have written."""
        until = time.monotonic() + PATIENCE
        while self._running() and time.monotonic() < until:
            time.sleep(0.05)
        self.collect()
        self._writer.flush()  # a launcher may end this process at any moment, and `close` removes what was compared

    def close(self) -> None:
        """Removes the records of the ranks that have ended. The others remove their own when they end."""
        self._companion.remove()
        remove_left(self._folder, set(range(1, world_size())) - self._running())

    def _running(self) -> set[int]:
        return {rank for rank in range(1, world_size()) if is_running(self._folder, rank)}


def others_in(folder: Path, world: int) -> dict[int, Run]:
    """The records of the other ranks than 0, by rank."""
    found = {}
    for rank in range(1, world):
        with suppress(RecordError, OSError):  # not there, or just being made
            found[rank] = load(record_of(folder, rank))
    return found


def about_ranks(ranks: Mapping[int, Run]) -> dict[str, Any]:
    """The facts of a job: how each rank fared, whether they hold equal weights, whether they are fed equal samples."""
    ordered = sorted(ranks.items())
    compared = {"replicas": replicas(ranks), "rank_samples": same_samples(ranks)}
    return {
        "ranks": [{"rank": rank, **_fared(run), **timing(run)} for rank, run in ordered],
        **{key: value for key, value in compared.items() if value},
    }


def _fared(run: Run) -> dict[str, Any]:
    """How a rank's process ended, and when it was last heard of."""
    error = run.fact("error")
    return {
        "exit": run.facts.get("exit"),
        "error": {key: error.get(key) for key in ("type", "message", "site")} if error else None,
        "stopped_at": run.facts.get("stopped_at"),
        "heard": run.facts.get("ended") or run.facts.get("heartbeat"),
    }


def timing(run: Run) -> dict[str, Any]:
    """How long a rank's steps take: before the forward, in it, in the backward (where ranks wait), and in all."""
    whole = {name: (f"time/{name}",) for name in ("forward", "backward", "total")}
    parts = {name: _sum_of(run, series) for name, series in {"before": BEFORE_BACKWARD, **whole}.items()}
    steps = sorted(set.intersection(*(set(part) for part in parts.values())))
    steps = steps[len(steps) // 10 :]  # the first steps warm up
    medians = {name: float(np.median([part[step] for step in steps])) for name, part in parts.items() if steps}
    return {"steps": run.steps, "timed": len(steps), **medians}


def _sum_of(run: Run, names: Sequence[str]) -> dict[int, float]:
    """By step, the sum of these series, as far as they are recorded; a batch made by hand has no time of loading."""
    total: dict[int, float] = {}
    for name in names:
        points = run.series(name).finite
        for step, value in zip(points.steps.tolist(), points.values.tolist(), strict=True):
            total[step] = total.get(step, 0.0) + value
    return total


def same_samples(ranks: Mapping[int, Run]) -> dict[str, Any] | None:
    """In how many of the steps that all ranks looked at they were given the same batch; None where none is known.

    A batch counts by one number. Where it is the same in every step, equal numbers say nothing.
    """
    group = ranks[0].fact("distributed").get("group") or sorted(ranks)
    given = [run.series(BATCH_PRINT).finite for rank, run in ranks.items() if rank in group]
    tables = [dict(zip(points.steps.tolist(), points.values.tolist(), strict=True)) for points in given]
    steps = sorted(set.intersection(*map(set, tables))) if len(tables) > 1 else []
    if len({tables[0][step] for step in steps}) < 2:
        return None
    equal = [step for step in steps if len({table[step] for table in tables}) == 1]
    return {"ranks": len(tables), "steps": len(steps), "equal": len(equal)}


def replicas(ranks: Mapping[int, Run]) -> dict[str, Any] | None:
    """Whether the ranks of one replica group hold the same weights; None where that cannot be told.

    Each rank records, at steps that all of them know, one number for each parameter: the sum of some of its elements
    with fixed random signs. Equal weights give equal numbers. Of unequal ones the squared differences, summed over the
    parameters, estimate the squared distance between the weights.
    """
    group = ranks[0].fact("distributed").get("group") or sorted(ranks)
    tables = {rank: _by_step(run) for rank, run in ranks.items() if rank in group}
    tables = {rank: table for rank, table in tables.items() if table}
    if len(tables) < 2 or 0 not in tables:
        return None
    steps = sorted(set.intersection(*(set(table) for table in tables.values())))
    found = [(step, *_difference({rank: table[step] for rank, table in tables.items()})) for step in steps]
    found = [row for row in found if row[3]]
    if not found:
        return None
    last = found[-1]
    unequal = next((row for row in found if row[2]), None)
    equal = [row[0] for row in found if unequal is None or row[0] < unequal[0]]
    return {
        "ranks": sorted(tables),
        "checks": len(found),
        "parameters": last[3],
        "last_check": last[0],
        "distance": last[1],
        "differing": len(last[2]),
        "first_difference": unequal[0] if unequal else None,
        "last_equal": equal[-1] if equal else None,
        "names": unequal[2][:MOST_NAMES] if unequal else [],
    }


Weights = dict[str, tuple[float, float]]  # by parameter: projection and norm


def _by_step(run: Run) -> dict[int, Weights]:
    projections, norms = run.layers(PROJECTION), run.layers(NORM)
    if not projections or projections.layers != norms.layers or len(projections) != len(norms):
        return {}
    rows = zip(projections.steps.tolist(), projections.values, norms.values, strict=True)
    return {step: _measured(projections.layers, row, sizes) for step, row, sizes in rows}


def _measured(names: Sequence[str], row: FloatArray, sizes: FloatArray) -> Weights:
    both = zip(names, row.tolist(), sizes.tolist(), strict=True)
    return {name: (value, size) for name, value, size in both if np.isfinite(value) and np.isfinite(size)}


def _difference(weights: Mapping[int, Weights]) -> tuple[float, list[str], int]:
    """The relative distance between the two most unlike ranks, the parameters that differ, how many were compared."""
    common = set.intersection(*(set(of_rank) for of_rank in weights.values()))
    names = [name for name in next(iter(weights.values())) if name in common]
    differing, squares, size = [], 0.0, 0.0
    for name in names:
        values = [of_rank[name][0] for of_rank in weights.values()]
        norm = max(of_rank[name][1] for of_rank in weights.values())
        spread = max(values) - min(values)
        squares, size = squares + spread**2, size + norm**2
        if spread > ROUNDING * norm:
            differing.append(name)
    return float(np.sqrt(squares / size)) if size else 0.0, differing, len(names)
