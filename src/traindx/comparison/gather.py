"""Reads and judges many runs, on all cores when there are enough of them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field
from functools import partial
from multiprocessing import get_context
from pathlib import Path

from ..readers import Options, ReaderError, read
from ..record import RecordError
from .outcome import outcome_of
from .places import Place
from .types import Metric, Outcome

FEW = 24  # below this, starting processes costs more than it saves
CHUNK = 8


@dataclass
class Gathered:
    outcomes: list[Outcome] = field(default_factory=list)
    failed: list[tuple[str, str]] = field(default_factory=list)  # named by the user and unreadable: source, reason


def gather(
    places: Sequence[Place],
    options: Options,
    metric: Metric | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Gathered:
    """All runs at the places, in their order."""
    work = partial(_judge_all, options=options, metric=metric)
    results: dict[int, list[Outcome | ReaderError]] = {}
    done = 0
    for start, judged in _shared_out(work, places):
        results[start] = judged
        done = min(len(places), done + CHUNK)
        if progress:
            progress(done, len(places))
    gathered = Gathered()
    for start in sorted(results):
        for found in results[start]:
            if isinstance(found, Outcome):
                gathered.outcomes.append(found)
            else:
                gathered.failed.append((str(found.args[0]), str(found.args[1])))
    gathered.outcomes = _without_idle_files(gathered.outcomes)
    return gathered


def _shared_out(
    work: Callable[[Sequence[Place]], list[Outcome | ReaderError]], places: Sequence[Place]
) -> Iterator[tuple[int, list[Outcome | ReaderError]]]:
    chunks = [(start, places[start : start + CHUNK]) for start in range(0, len(places), CHUNK)]
    processes = min(os.cpu_count() or 1, len(chunks))
    if len(places) < FEW or processes < 2:
        for start, chunk in chunks:
            yield start, work(chunk)
        return
    # Spawned, not forked: the columnar engine behind the readers has threads, and a fork would inherit their locks.
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        waiting = {pool.submit(work, chunk): start for start, chunk in chunks}
        for finished in as_completed(waiting):
            yield waiting[finished], finished.result()


def _judge_all(places: Iterable[Place], *, options: Options, metric: Metric | None) -> list[Outcome | ReaderError]:
    """Errors travel back as values: an exception would lose the rest of the chunk."""
    found: list[Outcome | ReaderError] = []
    for place in places:
        try:
            runs = read(place.path, options)
            usable = [run for run in runs if run.series("loss/train") or run.series("loss/validation") or metric]
            found += [outcome_of(run, metric, weak=place.weak) for run in usable]
            if not usable and not place.found:
                found.append(ReaderError(str(place.path), "no loss was found in it"))
        except (ReaderError, RecordError) as error:
            if not place.found:
                found.append(ReaderError(str(place.path), str(error)))
    return found


def _without_idle_files(outcomes: list[Outcome]) -> list[Outcome]:
    """Where a folder holds a real log, text files beside it that happen to hold numbers are not runs."""
    with_logs = {Path(outcome.source).parent for outcome in outcomes if not outcome.weak}
    return [outcome for outcome in outcomes if not outcome.weak or Path(outcome.source).parent not in with_logs]
