"""Reads and diagnoses many runs, on all cores if there are enough runs."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field
from functools import partial
from multiprocessing import get_context

from ..readers import Options, ReaderError, read
from ..readers.files import Beside
from ..record import RecordError
from .outcome import outcome_of
from .places import Place
from .skipped import Skipped
from .types import Metric, Outcome

FEW = 24  # with fewer runs, starting processes costs more time than it saves
CHUNK = 8

Judged = list[list["Outcome | str"]]  # for each place its runs, or the reason why it could not be read


@dataclass
class Gathered:
    outcomes: list[Outcome] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)  # reasons why logs that the user named could not be read
    skipped: Skipped = field(default_factory=Skipped)  # other files in the folders


def gather(
    places: Sequence[Place],
    options: Options,
    metric: Metric | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Gathered:
    """Read and diagnose all runs at the places, in their order."""
    work = partial(_judge_all, options=options, metric=metric)
    found: list[list[Outcome | str]] = [[] for _ in places]
    done = 0
    for start, judged in _in_chunks(work, places):
        found[start : start + len(judged)] = judged
        done += len(judged)
        if progress:
            progress(done, len(places))
    # Free text beside a log of a certain format is not a run of its own.
    beside = Beside(
        place.path
        for place, results in zip(places, found, strict=True)
        if place.root and not place.weak and any(isinstance(result, Outcome) for result in results)
    )
    gathered = Gathered()
    for place, results in zip(places, found, strict=True):
        outcomes = [result for result in results if isinstance(result, Outcome)]
        reasons = [result for result in results if isinstance(result, str)]
        if place.weak and beside(place.path):
            if outcomes:
                gathered.skipped.add_text_beside_log(place)
        elif place.root:
            gathered.outcomes += outcomes
            gathered.skipped.add(place, reasons)
        else:
            gathered.outcomes += outcomes
            gathered.failed += reasons
    return gathered


def _in_chunks(work: Callable[[Sequence[Place]], Judged], places: Sequence[Place]) -> Iterator[tuple[int, Judged]]:
    chunks = [(start, places[start : start + CHUNK]) for start in range(0, len(places), CHUNK)]
    processes = min(os.cpu_count() or 1, len(chunks))
    if len(places) < FEW or processes < 2:
        for start, chunk in chunks:
            yield start, work(chunk)
        return
    # Spawned, not forked: polars, which the readers use, has threads, and a fork would inherit their locks.
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        waiting = {pool.submit(work, chunk): start for start, chunk in chunks}
        for finished in as_completed(waiting):
            yield waiting[finished], finished.result()


def _judge_all(places: Sequence[Place], *, options: Options, metric: Metric | None) -> Judged:
    """Return errors as texts, because an exception would lose the rest of the chunk."""
    return [_judge(place, options, metric) for place in places]


def _judge(place: Place, options: Options, metric: Metric | None) -> list[Outcome | str]:
    try:
        runs = read(place.path, options)
    except (ReaderError, RecordError) as error:
        return [str(error)]
    usable = [run for run in runs if run.series("loss/train") or run.series("loss/validation") or metric]
    if not usable:
        return [f"{place.path} holds no loss"]
    return [outcome_of(run, metric) for run in usable]
