"""The ranks of a distributed job: whether they are meant to hold equal weights, and their weights in brief.

Every rank writes this down; `rank_comparison.py` compares. See there for the measure.
"""

from __future__ import annotations

import random
import weakref
from functools import lru_cache
from typing import Any

import torch

from ..rank_comparison import BATCH_PRINT, NORM, PROJECTION
from ..ranks import is_agreed, world_size
from ..session import Session
from ..sites import here
from ..tensors import plain, row_of, sketch, tensors_in
from .forwards import Forward
from .updates import Update


class Watcher:
    name = "replicas"
    AFTER = ("structure",)
    EVERY_RANK = True
    ONLY_ON_LOOKS = frozenset({"reduced", "forward_begin"})

    def __init__(self, session: Session) -> None:
        self.session = session
        self._several = world_size() > 1
        if self._several:
            session.schedule.keep_appointments()
        self._job: dict[str, Any] = {}  # noted while the process group lives: most scripts end it before they end
        self._wrapped: list[weakref.ref[Any]] = []
        self._reduced: set[int] = set()  # addresses of tensors that were all-reduced since the last look at gradients
        self._batch_noted = -1  # the step whose batch was last noted
        self._looks = 0  # at gradients that were averaged by hand
        self._averaged: dict[str, int] = {}  # by parameter: in how many of these looks its gradient was
        self._facts: dict[str, Any] = {"wrapper": None, "through": 0, "past": 0, "weights_averaged": False}

    def replicated(self, wrapper: Any, site: dict[str, Any] | None) -> None:
        self._wrapped.append(weakref.ref(wrapper))
        self._facts["wrapper"] = {"class": type(wrapper).__name__, "site": site}
        self._facts["group"] = torch.distributed.get_process_group_ranks(wrapper.process_group)

    def forward_begin(self, root: Any, args: Any, kwargs: Any) -> None:
        self._note_batch(root, args, kwargs)
        if self.session.deep:
            self.session.naming.add_root(root)  # for names: other ranks than 0 do without watchers/structure.py
            if torch.is_grad_enabled() and any(root is wrapper.module for wrapper in self._wrappers()):
                self._facts.setdefault("past_site", here(3))

    @torch.no_grad()
    def _note_batch(self, root: Any, args: Any, kwargs: Any) -> None:
        """One number that tells this training batch from others; equal batches have equal numbers on equal machines."""
        step = self.session.step
        if not (self._several and root.training and is_agreed(step)) or step == self._batch_noted:
            return
        given = next((t for t in tensors_in((args, kwargs)) if plain(t) and t.numel() > 1), None)
        if given is not None:
            self._batch_noted = step
            self.session.metrics.scalar(BATCH_PRINT, step, _projection(sketch(given).float()))

    def forward_trained(self, forward: Forward) -> None:
        """Only a call of the wrapper itself makes the ranks exchange gradients."""
        root = forward.root()
        root = getattr(root, "_orig_mod", root)
        for wrapper in self._wrappers():
            if root is wrapper:
                self._facts["through"] += 1
            elif root is wrapper.module:
                self._facts["past"] += 1

    def _wrappers(self) -> list[Any]:
        return [wrapper for ref in self._wrapped if (wrapper := ref()) is not None]

    def reduced(self, tensor: Any) -> None:
        if plain(tensor):
            self._reduced.add(tensor.data_ptr())

    def gradients_ready(self, update: Update) -> None:
        reduced, self._reduced = self._reduced, set()
        if not reduced:
            return
        name_of = self.session.naming.name_of
        self._facts["weights_averaged"] |= any(p.data_ptr() in reduced for p in update.params if plain(p))
        with_gradient = [p for p in update.params if p.grad is not None and plain(p.grad)]
        averaged = [p.grad.data_ptr() in reduced for p in with_gradient]
        if any(averaged):
            self._looks += 1
            for parameter, was in zip(with_gradient, averaged, strict=True):
                name = name_of(parameter)
                self._averaged[name] = self._averaged.get(name, 0) + was

    @torch.no_grad()
    def weights_after(self, update: Update) -> None:
        session = self.session
        if not self._several or not is_agreed(session.step):
            return
        self._note_job()
        params = [p for p in update.params if plain(p) and p.is_floating_point()]
        sketches = [sketch(p) for p in params]
        if params:
            names = [session.naming.name_of(p) for p in params]
            session.metrics.row(PROJECTION, session.step, names, row_of([_projection(s).float() for s in sketches]))
            session.metrics.row(NORM, session.step, names, row_of([s.norm().float() for s in sketches]))

    def _note_job(self) -> None:
        distributed = torch.distributed
        if not self._job and distributed.is_available() and distributed.is_initialized():
            self.session.in_job = True
            self._job = {
                "rank": distributed.get_rank(),
                "world_size": distributed.get_world_size(),
            }

    def flush(self) -> None:
        self._note_job()
        if self._several and self._job:
            averaged = {"looks": self._looks, "never": [name for name, times in self._averaged.items() if not times]}
            facts = {**self._job, **self._facts, "averaged": averaged if self._looks else None}
            self.session.writer.fact("distributed", facts)


def _projection(sketch: Any) -> Any:
    return sketch @ _signs(len(sketch), sketch.dtype, sketch.device)


@lru_cache(maxsize=256)
def _signs(count: int, dtype: Any, device: Any) -> Any:
    """The same signs on every rank. Nothing is drawn from torch's random numbers."""
    draw = random.Random(count)
    return torch.tensor([draw.choice((-1.0, 1.0)) for _ in range(count)], dtype=dtype, device=device)
