"""How many samples a data set holds, without asking it: `__len__` is the user's code, and may be slow."""

from __future__ import annotations

import weakref
from typing import Any

from ..sites import is_installed

_BUILT_IN = (list, tuple, dict, set, range, str, bytes)


class Lengths:
    """Lengths that torch's samplers were told when they asked for them."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[weakref.ref[Any], int]] = {}

    def note(self, data: Any, length: Any) -> None:
        if type(length) is int:
            try:
                self._known[id(data)] = (weakref.ref(data), length)
            except TypeError:  # cannot be referred to weakly: a list, which may be asked
                pass

    def of(self, data: Any) -> int | None:
        """The length of a data set, where that is known or calls no code of the user's."""
        known = self._known.get(id(data))
        if known is not None and known[0]() is data:
            return known[1]
        kind = type(data)
        if kind in _BUILT_IN:
            return len(data)
        ask = getattr(kind, "__len__", None)
        code = getattr(ask, "__code__", None)
        if ask is None or (code is not None and not is_installed(code.co_filename)):
            return None
        # An installed class may wrap one of the user's.
        held: dict[str, Any] = getattr(data, "__dict__", {})
        inner = [held.get(name) for name in ("dataset", "datasets", "data_source")]
        parts = [part for each in inner for part in (each if isinstance(each, (list, tuple)) else (each,))]
        if any(part is not None and self.of(part) is None for part in parts):
            return None
        try:
            return len(data)
        except (TypeError, NotImplementedError, AttributeError):
            return None

    def batches(self, loader: Any) -> int | None:
        """How many batches a loader makes of its data, by the same rule."""
        size, batch = self.of(loader.dataset), getattr(loader, "batch_size", None)
        sampler = getattr(loader, "sampler", None)
        if type(sampler).__name__ in ("RandomSampler", "SequentialSampler") and type(batch) is int and batch > 0:
            count = getattr(sampler, "_num_samples", None) or size
            if count is None:
                return None
            return count // batch if getattr(loader, "drop_last", False) else -(-count // batch)
        parts = [part for part in (loader, getattr(loader, "batch_sampler", None), sampler) if part is not None]
        if size is None or any(not _installed_length(part) for part in parts):
            return None
        try:
            return len(loader)
        except (TypeError, NotImplementedError, AttributeError):
            return None


def _installed_length(part: Any) -> bool:
    code = getattr(getattr(type(part), "__len__", None), "__code__", None)
    return code is None or is_installed(code.co_filename)
