"""Updates that a script makes itself, without an optimizer: were gradients cleared in between?"""

from __future__ import annotations

import weakref
from typing import Any

from ..graph_reading.graphs import leaves
from ..metric_queue import cpu_value
from ..session import Session
from .optimizers import gradient_empty

ORDER = 11

FEW = 8  # leaves that are followed: whoever forgets to clear one forgets all


class Watcher:
    name = "manual updates"

    def __init__(self, session: Session) -> None:
        self.session = session
        self._leaves: list[Any] = []  # of the loss that is being backpropagated
        self._before: list[tuple[weakref.ref[Any], int, float | None]] = []  # as backward left them
        self._followed = 0
        self._kept = 0

    def backward_begin(self, loss: Any, frame: Any, keep: bool) -> None:
        session = self.session
        if session.optimizers:
            return
        known = [(leaf, *state) for ref, *state in self._before if (leaf := ref()) is not None]
        moved = [leaf for leaf, version, value in known if leaf._version != version or cpu_value(leaf) != value]
        if moved:
            self._followed += 1
            if not all(leaf.grad is None or gradient_empty(leaf.grad) for leaf in moved):
                self._kept += 1
                if self._kept == 1:
                    session.writer.event("grads-kept", session.step)
        self._before = []
        self._leaves = list(leaves(loss))[:FEW] if session.light else []

    def backward_end(self, loss: Any, seconds: float) -> None:
        # A change through `.data` leaves the version as it was, so a value is compared as well.
        self._before = [(weakref.ref(leaf), leaf._version, cpu_value(leaf)) for leaf in self._leaves]
        self._leaves = []

    def flush(self) -> None:
        if self._followed:
            self.session.writer.fact("by_hand", {"steps_heard": self._followed, "grads_kept": self._kept})

    finish = flush
