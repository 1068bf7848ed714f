"""Data of evaluations that look like training: with gradients, and in train mode.

Beginners evaluate without `eval()` and without `no_grad()`. Such a forward differs from training in one thing: no
backward goes through it, which shows only afterwards. But the same tensors come back at the next evaluation. They are
recognised by the loader that delivers them, or by the memory that they view: a living tensor, an offset, a shape.
"""

from __future__ import annotations

import weakref
from typing import Any, NamedTuple

MOST = 256  # tensors that are remembered


class Part(NamedTuple):
    """A part of a tensor that lives on: the same rows of it, whenever they are asked for."""

    whole: weakref.ref[Any]
    shape: tuple[int, ...]
    offset: int


Source = Part | weakref.ref[Any]  # or the loader


class HeldOut:
    """What models were given and no backward went through, while it did go through other data."""

    def __init__(self) -> None:
        self._held: set[Source] = set()
        self._once: dict[Source, int] = {}  # seen in one evaluation so far, after so many backwards
        self._trained: dict[Any, set[int]] = {}  # offsets, by tensor and shape; loaders have none
        self._delivered: tuple[weakref.ref[Any], list[weakref.ref[Any]]] | None = None

    def __bool__(self) -> bool:
        return bool(self._held)

    def __contains__(self, source: Source | None) -> bool:
        return source in self._held

    def deliver(self, loader: Any, batch: Any) -> None:
        if loader is None:
            self._delivered = None
            return
        from .tensors import tensors_in  # not above: nothing may import torch before the script does

        self._delivered = (weakref.ref(loader), [weakref.ref(tensor) for tensor in tensors_in(batch)])
        hash(self._delivered[0])

    def source_of(self, args: Any, kwargs: Any) -> Source | None:
        """Where what a model is given comes from."""
        from .tensors import first_tensor, usual

        given = first_tensor(args, kwargs)
        if given is None or not usual(given) or given.dim() == 0:
            return None
        whole = weakref.ref(given if given._base is None else given._base)
        hash(whole)  # it is known from now on; that of a tensor that has gone could not be asked for
        if self._delivered is not None and any(member is whole for member in self._delivered[1]):
            return self._delivered[0]
        return Part(whole, tuple(given.shape), given.storage_offset())

    def note_trained(self, source: Source | None) -> None:
        if source is None:
            return
        self._held.discard(source)
        self._once.pop(source, None)
        rows, offset = _rows_of(source)
        if rows in self._trained or len(self._trained) < MOST or self._make_room():
            self._trained.setdefault(rows, set()).add(offset)

    def note_untrained(self, source: Source | None, backwards: int) -> None:
        """Held out is what two evaluations were given and no training. (Actions are often scored once before they are
        trained on.) Batches cut from one tensor are training data wherever they lie."""
        if source is None:
            return
        rows, offset = _rows_of(source)
        offsets = self._trained.get(rows, set())
        if offset in offsets or len(offsets) > 1:
            return
        if len(self._once) >= MOST:
            self._once = {known: when for known, when in self._once.items() if _lives(known)}
        if len(self._once) < MOST and self._once.setdefault(source, backwards) != backwards:
            self._held.add(source)

    def _make_room(self) -> bool:
        """Forgets tensors that are gone. A temporary batch is trained on once."""
        self._trained = {rows: offsets for rows, offsets in self._trained.items() if _lives(rows)}
        return len(self._trained) < MOST


def _rows_of(source: Source) -> tuple[Any, int]:
    return (source[:2], source.offset) if isinstance(source, Part) else (source, 0)


def _lives(rows: Any) -> bool:
    whole = rows[0] if isinstance(rows, tuple) else rows
    return whole() is not None
