"""All readings of the runs, with what is known about each."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

import traindx
from benchmarks.reference.logs import logs
from benchmarks.reference.patients import HEALTHY, Patient, recorded, spread
from traindx.facts import Reading, readings
from traindx.record import Run
from traindx.signs import measure_all
from traindx.zoo.corpus import as_log

FOLDS = 5


@dataclass(frozen=True)
class Measured:
    """All readings of one run, by quantity."""

    name: str
    host: str
    cause: str
    source: str
    found: Sequence[tuple[str, Reading]]

    @property
    def fold(self) -> int:
        return spread(self.host) % FOLDS


def measure(run: Run, name: str, host: str, cause: str, source: str) -> Measured:
    return Measured(name, host, cause, source, [(q.id, reading) for q, reading in readings(run, measure_all(run))])


def measure_patient(patient: Patient) -> list[Measured]:
    """As observed, and as a log of it."""
    run, source = traindx.load(patient.record), "field programs" if patient.name.startswith("field/") else "zoo"
    views = [(run, source), *([(as_log(run), f"{source}, as logs")] if patient.cause == HEALTHY else [])]
    return [measure(seen, patient.name, patient.host, patient.cause, kind) for seen, kind in views]


def everything(folder: Path, workers: int) -> list[Measured]:
    # spawn instead of fork: measuring needs no torch, and threads must not be copied
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        found = [one for many in pool.map(measure_patient, recorded(folder), chunksize=8) for one in many]
    return [*found, *(measure(run, run.source, host, HEALTHY, source) for source, host, run in logs())]
