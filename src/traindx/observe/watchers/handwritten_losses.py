"""Losses written by hand: recognised ones are announced as if the standard function had been called."""

from __future__ import annotations

import weakref
from typing import Any

import torch

from ..graph_reading.handwritten_loss import recognise
from ..session import Session
from ..tensors import tensors_in

ORDER = 5  # before the watchers that need losses when backward begins


SMALL = 1 << 18  # elements: a megabyte, for the length of a loss function


class Watcher:
    name = "handwritten losses"
    ONLY_ON_LOOKS = frozenset({"forward_end", "loss_computed"})

    def __init__(self, session: Session) -> None:
        self.session = session
        self._outputs: list[weakref.ref[Any]] = []  # of models in this step
        self._last: list[Any] = []  # of the last one
        self._standard = False  # a standard loss was computed in this step
        self._target: Any = None  # is made here: whoever wants to see it later in this step needs it alive

    def forward_end(self, root: Any, args: Any, kwargs: Any, output: Any, seconds: float) -> None:
        if self.session.light and torch.is_grad_enabled() and not self.session.evaluating:
            made = [t for t in tensors_in(output) if t.grad_fn is not None][:4]
            self._outputs = [*self._outputs[-8:], *map(weakref.ref, made)]
            # In `loss(model(x), y)` nothing else keeps the output until backward. A large one is not kept for our sake,
            # and never more than one forward's.
            if any(t.dim() for t in made):  # not the loss itself, of a module of one's own
                self._last = [t for t in made if t.numel() <= SMALL]

    def loss_computed(self, name: str, given: Any, value: Any) -> None:
        self._standard = self._standard or (value.requires_grad and not self.session.evaluating)

    def backward_begin(self, loss: Any, frame: Any, keep: bool) -> None:
        session = self.session
        known, self._standard = self._standard, False
        outputs = [t for ref in self._outputs if (t := ref()) is not None]
        self._outputs, self._last = [], []
        if known or not session.light or session.hooks.saved_tensors_hooked or not isinstance(loss, torch.Tensor):
            return
        with torch.no_grad():
            found = recognise(loss, outputs)
        if found is not None:
            self._target = found.target
            value = found.value.detach().requires_grad_()  # that is how the others know a training loss
            session.hooks.relay("loss_computed", found.name, ((found.prediction, found.target), {}), value)
            self._standard = False

    def backward_end(self, loss: Any, seconds: float) -> None:
        self._target = None
