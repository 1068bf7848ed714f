"""Data loaders: how they are made, what they deliver and how long the training waits for it."""

from __future__ import annotations

import weakref
from inspect import signature
from itertools import count
from time import perf_counter
from typing import Any

from torch.utils.data import DataLoader, IterableDataset, RandomSampler, SequentialSampler
from torch.utils.data.dataloader import _BaseDataLoaderIter

from .. import sites
from .hooks import Driver, HookPoints

COMPARED = 48  # batches of a pass of which it is asked whether several workers yield them
_RANGE: Any = type(iter(range(0)))


def install(hooks: HookPoints) -> None:
    made = count()

    def _driven(driver: Driver, original: Any, loader: Any, args: Any, kwargs: Any) -> dict[str, Any]:
        """The arguments by name, as the driver wants them."""
        given = dict(signature(original).bind(loader, *args, **kwargs).arguments)
        given.pop("self")
        return driver.loader_settings(next(made), given)

    def make_init(original: Any) -> Any:
        def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
            if hooks.driver is not None and hooks.live and not hooks.busy:
                args, kwargs = (), _driven(hooks.driver, original, self, args, kwargs)
            original(self, *args, **kwargs)
            hooks.announce("loader_made", self, sites.here(2) if hooks.live else None)

        return __init__

    def read(result: None, iterator: Any, loader: Any, *args: Any, **kwargs: Any) -> None:
        iterator._traindx_loader = weakref.ref(loader)  # a loader may hold its iterator: no circle
        # Several workers, each with a stream of its own, whose batches come in turn.
        several = getattr(iterator, "_num_workers", 0) > 1 and getattr(loader, "in_order", True)
        iterator._traindx_streams = several and isinstance(loader.dataset, IterableDataset)
        hooks.announce("loader_read", loader)

    def make_next(original: Any) -> Any:
        def __next__(self: Any) -> Any:
            if hooks.busy or not hooks.live:
                return original(self)
            known = getattr(self, "_traindx_loader", None)
            loader = known() if known is not None else None
            began = perf_counter()
            try:
                batch = original(self)
            except StopIteration:
                if hooks.driver is None:
                    raise
                batch = hooks.driver.at_end(loader)
            seconds = perf_counter() - began
            if getattr(self, "_traindx_streams", False) and self._num_yielded <= COMPARED:
                hooks.announce("stream_batch", loader, self._num_yielded - 1, self._num_workers, batch)
            if hooks.fast is not None:
                if hooks.function_modes():
                    with hooks.no_functions():
                        taken = hooks.fast.takes_batch(known, batch)
                else:
                    taken = hooks.fast.takes_batch(known, batch)
                if taken:
                    return batch
            if hooks.driver is not None:
                batch = hooks.driver.batch(loader, batch)
            hooks.announce("batch_ready", loader, batch, seconds)
            return batch

        return __next__

    def make_sequential(original: Any) -> Any:
        def __iter__(self: Any) -> Any:
            indices: Any = original(self)
            if type(indices) is _RANGE:
                lengths.note(self.data_source, indices.__length_hint__())
            return indices

        return __iter__

    def make_num_samples(original: Any) -> Any:
        def num_samples(self: Any) -> Any:
            number = original.fget(self)
            if self._num_samples is None:
                lengths.note(self.data_source, number)
            return number

        return property(num_samples)

    lengths = hooks.lengths
    hooks.patch(SequentialSampler, "__iter__", make_sequential)
    hooks.patch(RandomSampler, "num_samples", make_num_samples)
    hooks.patch(DataLoader, "__init__", make_init)
    hooks.after(_BaseDataLoaderIter, "__init__", read)
    hooks.patch(_BaseDataLoaderIter, "__next__", make_next)
