"""Workers of a loader that yield one and the same stream: an `IterableDataset` that nobody shards."""

from __future__ import annotations

import weakref
from typing import Any

from ..session import Session
from ..tensors import plain, tensors_in
from .samples import hashes_of

MOST_ROWS = 1024  # of a batch that is hashed


class WorkerStreams:
    """Workers take turns, so of W successive batches each worker has made one: all are equal where all streams are."""

    name = "worker streams"
    AFTER = ()

    def __init__(self, session: Session) -> None:
        self.session = session
        self._groups: dict[weakref.ref[Any], list[int]] = {}  # batches of the present turn, by loader
        self._found: dict[weakref.ref[Any], dict[str, Any]] = {}
        self._seen: dict[weakref.ref[Any], set[int]] = {}  # contents of the turns in which all were equal

    def stream_batch(self, loader: Any, number: int, workers: int, batch: Any) -> None:
        """Batch `number` of a pass over an iterable data set."""
        key, place = weakref.ref(loader), number % workers
        group = self._groups.setdefault(key, [])
        if place == 0:
            group.clear()
        content = _content(batch)
        if content is None or len(group) != place:
            return
        group.append(content)
        if place == workers - 1:
            found = self._found.setdefault(
                key,
                {"workers": workers, "turns": 0, "equal": 0, "distinct": 0, "dataset": type(loader.dataset).__name__},
            )
            seen = self._seen.setdefault(key, set())
            equal = len(set(group)) == 1
            found["turns"] += 1
            found["equal"] += equal
            if equal:
                seen.add(content)
                found["distinct"] = len(seen)

    def flush(self) -> None:
        if self._found:
            self.session.writer.fact("worker_streams", list(self._found.values()))


def _content(batch: Any) -> int | None:
    """A hash of all samples, in order."""
    parts = [t for t in tensors_in(batch) if plain(t) and t.is_cpu and t.dim() > 0 and t.shape[0] <= MOST_ROWS]
    rows = {part.shape[0] for part in parts}
    return hash(tuple(hashes_of(parts))) if len(rows) == 1 else None
