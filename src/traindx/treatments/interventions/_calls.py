"""Replaces activations that a model's forward calls as functions, not as modules."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...record import Run
from ...record.values import op_counts
from ._arguments import floating, trains
from ._functions import called_by_user, replace

SQUASHING_CALLS = ("sigmoid", "tanh")
DEPTH = 3  # stack frames from `called_by_user` up to the script's call


def calls_squashing(run: Run) -> bool:
    """Whether the graph contains sigmoid or tanh, called by a module or as a function."""
    counts = op_counts(run.fact("graph"))
    return any(counts.get(name, 0.0) > 0 for name in SQUASHING_CALLS)


class HiddenCalls:
    """Replaces calls of these functions in the script's own forward by `instead(x)`, except the call that makes the
    model's output. The first forward runs unchanged, to find that call."""

    def __init__(self, names: Sequence[str], instead: Callable[[Any], Any]) -> None:
        import torch

        self.count = 0
        self._instead = instead
        self._inside = False
        self._calls = 0
        self._last: Any = None
        self._kept: int | None = None  # number of calls in a forward before the one that makes the output
        for name in names:
            for owner in (torch, torch.nn.functional, torch.Tensor):
                if hasattr(owner, name):
                    self._exchange(owner, name)

    def begin(self, root: Any) -> None:
        self._inside, self._calls, self._last = trains(root), 0, None

    def end(self, output: Any) -> None:
        if self._inside and self._kept is None and self._calls:
            made = self._last
            whole = output is made or (floating(output) and output._is_view() and output._base is made)
            self._kept = self._calls - 1 if whole else self._calls
        self._inside, self._last = False, None

    def _exchange(self, owner: Any, name: str) -> None:
        def activation(given: Any, *args: Any, **kwargs: Any) -> Any:
            if not self._inside or not floating(given) or not called_by_user(DEPTH):
                return old(given, *args, **kwargs)
            self._calls += 1
            if self._kept is not None and self._calls <= self._kept:
                self.count += 1
                return self._instead(given)
            self._last = old(given, *args, **kwargs)
            return self._last

        old = replace(owner, name, activation)
