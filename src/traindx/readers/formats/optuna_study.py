"""An Optuna study in its SQLite file: each trial that reported values on the way is a run, with its parameters."""

from __future__ import annotations

import json
import sqlite3
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import quote

import numpy as np

from ...record import Run
from ..meaning.assembly import LogFacts, assemble
from ..meaning.names import NamedSeries
from ..options import Options, ReaderError
from ..source import Source

KIND = "optuna"
MOST_ROWS, MOST_SECONDS, INSTRUCTIONS = 2_000_000, 20.0, 100_000
_VALUES = """SELECT t.number, v.step, v.intermediate_value FROM trial_intermediate_values v
             JOIN trials t USING (trial_id) ORDER BY t.trial_id, v.step LIMIT ?"""
_PARAMS = """SELECT t.number, p.param_name, p.param_value, p.distribution_json FROM trial_params p
             JOIN trials t USING (trial_id) LIMIT ?"""


def sniff(source: Source) -> float:
    if source.is_dir or not source.head.startswith(b"SQLite format 3\0") or not source.path.exists():
        return 0.0
    try:
        with _opened(source) as database:
            known = {row[0] for row in database.execute("SELECT name FROM sqlite_master LIMIT 1000")}
    except (sqlite3.Error, UnicodeError):
        return 0.0
    return 1.0 if known >= {"study_directions", "trials", "trial_params", "trial_intermediate_values"} else 0.0


def read(source: Source, options: Options) -> list[Run]:
    try:
        values, params, maximised = _tables(source)
    except (sqlite3.Error, UnicodeError, OverflowError) as error:
        raise ReaderError(f"{source.name} cannot be read as an Optuna study ({error})") from None
    steps: dict[int, list[tuple[int, float]]] = defaultdict(list)
    for trial, step, value in values:
        if isinstance(step, int) and isinstance(value, float):
            steps[trial].append((step, value))
    settings: dict[int, dict[str, Any]] = defaultdict(dict)
    for trial, name, value, distribution in params:
        settings[trial][str(name)] = _chosen(value, distribution)
    runs = []
    for place, (trial, points) in enumerate(steps.items()):
        name = _called([value for _, value in points], maximised)
        at, course = (np.array(column) for column in zip(*points, strict=True))
        log = LogFacts(columns={"step": "step"}, config=settings[trial], runs=len(steps), run=place)
        log.notes.append(f"what the trial reported is read as {name}")
        series = NamedSeries(name, at.astype(np.int64), course.astype(np.float64))
        runs.append(assemble({name: series}, f"{source.name} (trial {trial})", KIND, options, log))
    return runs


def _tables(source: Source) -> tuple[list[Any], list[Any], bool]:
    with _opened(source) as database:
        directions = {row[0] for row in database.execute("SELECT direction FROM study_directions LIMIT 100")}
        values, params = (database.execute(query, (MOST_ROWS,)).fetchall() for query in (_VALUES, _PARAMS))
    return values, params, directions == {"MAXIMIZE"}


@contextmanager
def _opened(source: Source) -> Iterator[sqlite3.Connection]:
    """The database, for reading alone and for a limited time, whatever its schema tries."""
    until = time.monotonic() + MOST_SECONDS
    database = sqlite3.connect(f"file:{quote(str(source.path.absolute()))}?mode=ro", uri=True, timeout=5.0)
    try:
        database.set_progress_handler(lambda: time.monotonic() > until, INSTRUCTIONS)
        for pragma in ("query_only=ON", "trusted_schema=OFF", "cell_size_check=ON", "mmap_size=0"):
            database.execute(f"PRAGMA {pragma}")
        yield database
    finally:
        database.close()


def _called(values: list[float], maximised: bool) -> str:
    """What trials report is what they are judged by: a loss, an accuracy, or a score that nothing else is known of."""
    if not maximised:
        return "val_loss"
    return "val_accuracy" if all(0.0 <= value <= 1.0 for value in values) else "val_score"


def _chosen(value: Any, distribution: Any) -> Any:
    """The value of a parameter; of a categorical one the database holds the place among the choices."""
    try:
        choices = json.loads(distribution)["attributes"]["choices"]
        return choices[int(value)]
    except (ValueError, TypeError, KeyError, IndexError, RecursionError):
        return value
