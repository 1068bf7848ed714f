"""Tests at the first training step what the model's output depends on (see `dependence`)."""

from __future__ import annotations

import weakref
from dataclasses import asdict
from typing import Any

import torch
from torch import nn

from ...observe.targets import as_next_tokens
from ...observe.tensors import plain, tensors_in
from ...observe.watchers.loss_inputs import given_pair
from ..acting.pinning import copied, equal
from ..dependence import dependence


class Wiring:
    name = "wiring"

    def __init__(self, session: Any) -> None:
        self.session = session
        self._call: tuple[Any, Any, Any] | None = None
        self._rows: int | None = None  # samples in the loader's batch
        self._next_token = False
        self._done = False
        self._trained = False

    def batch_ready(self, loader: Any, batch: Any, seconds: float) -> None:
        if not self._done:
            self._rows = next((int(t.shape[0]) for t in tensors_in(batch) if t.dim()), None)

    def forward_begin(self, root: Any, args: Any, kwargs: Any) -> None:
        if self._done or not torch.is_grad_enabled() or next(root.parameters(), None) is None:
            return
        if self._call is None:
            self._call = (weakref.ref(root), copied(args), copied(kwargs))
        elif self._trained and self._call[0]() is root:
            # A batch made in the loop. If the second equals the first, it is the whole data set.
            self._ask(whole=equal(self._call[1:], (args, kwargs)))

    def loss_computed(self, name: str, given: Any, value: Any) -> None:
        if self._done or self._call is None or not value.requires_grad:
            return
        _, target = given_pair(name, given)
        main = self._main()
        if main is not None and isinstance(target, torch.Tensor):
            self._next_token = self._next_token or targets_are_next_inputs(main, target)

    def _main(self) -> Any | None:
        if self._call is None:
            return None
        return next((t for t in tensors_in(self._call[1:]) if plain(t) and t.dim() > 0), None)

    def backward_begin(self, loss: Any, frame: Any, keep: bool) -> None:
        if self._done:
            return
        self._trained = True
        if self._rows is not None or self._call is None:
            self._ask(whole=False)

    def finish(self) -> None:
        if not self._done and self._trained:
            self._ask(whole=False)

    def _ask(self, whole: bool) -> None:
        self._done = True
        main, call, self._call = self._main(), self._call, None
        root = call[0]() if call is not None else None
        if call is None or root is None:
            self.session.writer.fact("dependence", {"why_not": {"all": "the loop calls no module"}})
            return
        axis = None if whole else _batch_axis(main, self._rows, root)
        found = dependence(root, call[1], call[2], batch_axis=axis, next_token=self._next_token)
        if whole:
            found.why_not["samples"] = "every step gets the same input, whose rows may belong together"
        self.session.writer.fact("dependence", {**asdict(found), "next_token": self._next_token})


def targets_are_next_inputs(inputs: Any, target: Any) -> bool:
    """Whether the targets are the input tokens (rows × length) shifted by one position."""
    moved = as_next_tokens(inputs, target)
    return moved is not None and bool((moved == inputs[:, 1:]).float().mean() > 0.99)


def _batch_axis(main: Any, rows: int | None, root: Any) -> int | None:
    """The axis of the model's input that counts samples; None if unclear."""
    if main is None:
        return None
    if rows is None:
        # A batch made in the loop: samples usually come first, unless a layer expects time first.
        time_first = any(
            isinstance(m, (nn.RNNBase, nn.MultiheadAttention)) and not m.batch_first for m in root.modules()
        )
        return None if time_first else 0
    matching = [axis for axis, size in enumerate(main.shape[:2]) if size == rows]
    return matching[0] if len(matching) == 1 else None
