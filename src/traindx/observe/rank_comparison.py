"""Compares the ranks of a job by the small records that they keep: do they hold equal weights, do some of them wait?"""

from __future__ import annotations

import shutil
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from ..record.errors import RecordError
from ..record.reading import load
from ..record.run import Run
from ..record.types import FloatArray
from ..record.writer import RecordWriter
from .ranks import record_of, world_size

COLLECT_EVERY = 15.0  # seconds; less often where that takes long
SHARE = 0.003  # of the time, at most, for collecting while the training runs
PATIENCE = 3.0  # seconds that rank 0 waits, after the script's end, until the other ranks have written theirs
MOST_NAMES = 5
# Equal weights give equal numbers, bit by bit, on equal machines; on unequal ones sums are rounded differently.
ROUNDING = 5e-6

PROJECTION, NORM = "replica_projection", "replica_norm"
BEFORE_BACKWARD = ("time/data", "time/between")


class RankComparison:
    """Collects what the other ranks measured into the record of rank 0. Runs on the writing thread, and at the end."""

    def __init__(self, folder: Path, writer: RecordWriter) -> None:
        self._folder = folder
        self._writer = writer
        self._due = time.monotonic() + COLLECT_EVERY

    def collect_if_due(self) -> None:
        began = time.monotonic()
        if began >= self._due:
            self.collect()
            ended = time.monotonic()
            self._due = ended + max(COLLECT_EVERY, (ended - began) / SHARE)

    def collect(self) -> bool:
        """Compares what is there now. Whether all other ranks have ended."""
        others = self._others()
        if not others:
            return True
        own = load(self._writer.path)
        ranks = {0: own, **others}
        self._writer.fact("ranks", [{"rank": rank, **timing(run)} for rank, run in sorted(ranks.items())])
        compared = replicas(ranks)
        if compared:
            self._writer.fact("replicas", compared)
        return all("ended" in run.facts for run in others.values())

    def finish(self) -> None:
        """The script has ended: waits a little for the other ranks, then removes their records."""
        until = time.monotonic() + PATIENCE
        while not self.collect() and time.monotonic() < until:
            time.sleep(0.1)
        shutil.rmtree(self._folder, ignore_errors=True)

    def _others(self) -> dict[int, Run]:
        found = {}
        for rank in range(1, world_size()):
            with suppress(RecordError, OSError):  # not there, or just being made
                found[rank] = load(record_of(self._folder, rank))
        return found


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
