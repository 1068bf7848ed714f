"""Spreads work on many logs over the cores of this machine, or over something else, such as a Ray cluster."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import partial
from multiprocessing import get_context
from typing import Any, TypeVar

FEW = 24  # with fewer logs, starting processes costs more time than it saves
CHUNK = 8
Item = TypeVar("Item")
Result = TypeVar("Result")
# Works on chunks somewhere, and yields the number of each chunk and its results as they are ready.
Elsewhere = Callable[[Callable[[Any], list[Any]], Sequence[Any]], Iterator[tuple[int, list[Any]]]]


def spread(
    work: Callable[[Item], Result],
    items: Sequence[Item],
    progress: Callable[[int, int], None] | None = None,
    elsewhere: Elsewhere | None = None,
) -> Iterator[tuple[Item, Result]]:
    """Yield each item with the result of the work, as chunks are ready: from processes here, or from `elsewhere`.

    The work returns errors: an exception would lose the rest of its chunk.
    """
    chunks = [items[start : start + CHUNK] for start in range(0, len(items), CHUNK)]
    if not chunks:
        return
    for done, (number, results) in enumerate((elsewhere or _in_processes)(partial(_each, work), chunks), start=1):
        yield from zip(chunks[number], results, strict=True)
        if progress:
            progress(min(done * CHUNK, len(items)), len(items))


def _each(work: Callable[[Item], Result], items: Sequence[Item]) -> list[Result]:
    return [work(item) for item in items]


def _in_processes(work: Callable[[Any], list[Any]], chunks: Sequence[Any]) -> Iterator[tuple[int, list[Any]]]:
    processes = min(os.cpu_count() or 1, len(chunks))
    if CHUNK * len(chunks) < FEW or processes < 2:
        yield from enumerate(map(work, chunks))
        return
    # Spawned, not forked: polars, which the readers use, has threads, and a fork would inherit their locks.
    pool = ProcessPoolExecutor(processes, mp_context=get_context("spawn"))
    try:
        waiting = {pool.submit(work, chunk): number for number, chunk in enumerate(chunks)}
        for finished in as_completed(waiting):
            yield waiting.pop(finished), finished.result()
    finally:
        pool.shutdown(cancel_futures=True)  # an interrupted command does not finish the rest first
