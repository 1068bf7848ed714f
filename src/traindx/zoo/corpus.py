"""The calibration corpus: one small file with the levels of all signs in every valid case.

Fitting and scoring need only this file, no training and no records. Each case is measured twice: from the observed run,
and from what a log of the same run would show.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

import numpy as np

from ..record import Run, RunBuilder, load
from ..signs import measure_all
from .cases import Case
from .execution import Cache
from .harm import judge

LOG_POINTS = 100  # as many lines as an ordinary script prints


@dataclass(frozen=True, eq=False)
class Row:
    """One case of the corpus."""

    case: str
    host: str
    cause: str
    severity: str
    observed: dict[str, float]
    log: dict[str, float]
    also: tuple[str, ...] = ()  # other causes that are equally correct

    @classmethod
    def of(cls, case: str, host: str, cause: str, severity: str, run: Run, also: Iterable[str] = ()) -> Row:
        """The row of a labelled run, with its signs as observed and as a log would show them."""
        return cls(case, host, cause, severity, levels(run), levels(as_log(run)), tuple(also))


def levels(run: Run) -> dict[str, float]:
    """The level of every sign that could be measured."""
    return {name: round(sign.level, 3) for name, sign in measure_all(run).items()}


def as_log(run: Run) -> Run:
    """What a log of this run would contain: averaged training losses, validation results, the learning rate."""
    builder = RunBuilder(run.source, "log")
    train = run.series("loss/train")
    if train:
        groups = np.array_split(np.arange(len(train)), min(LOG_POINTS, len(train)))
        builder.series(
            "loss/train", [train.steps[g[-1]] for g in groups], [float(np.mean(train.values[g])) for g in groups]
        )
    for name in ("loss/validation", "accuracy/validation", "lr"):
        series = run.series(name)
        if series:
            keep = np.unique(np.linspace(0, len(series) - 1, min(LOG_POINTS, len(series))).astype(int))
            builder.series(name, series.steps[keep], series.values[keep])
    builder.fact("log", {"step_unit": "step", "runs": 1})
    return builder.build()


def measure(case: Case, record: Path) -> Row:
    return Row.of(case.id, case.host, case.cause, case.severity, load(record))


def recorded_cases(cases: Sequence[Case], cache: Cache) -> list[Case]:
    """The cases that have a record and are valid (see `harm`)."""
    recorded = [case for case in cases if cache.record(case).exists()]
    return [case for case in recorded if (verdict := judge(case, cache)) is not None and verdict.valid]


def collect(cases: Sequence[Case], cache: Cache, workers: int = 2) -> list[Row]:
    """The rows of all valid cases."""
    valid = recorded_cases(cases, cache)
    records = [cache.record(case) for case in valid]
    # spawn instead of fork: measuring needs no torch, and the parent's threads must not be copied
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        return list(pool.map(measure, valid, records, chunksize=16))


def write(path: Path, rows: Iterable[Row]) -> None:
    """One JSON object per line, compressed without a timestamp, so that the same rows give the same file."""
    lines = [json.dumps(vars(row), sort_keys=True) for row in sorted(rows, key=lambda row: row.case)]
    with open(path, "wb") as file, gzip.GzipFile(fileobj=file, mode="wb", mtime=0, filename="") as zipped:
        zipped.write(("\n".join(lines) + "\n").encode())


def read(path: Path) -> list[Row]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    return [Row(**{**row, "also": tuple(row.get("also", ()))}) for row in rows]
