"""Finds out which loaders feed the training, and ends a script after a number of updates and its next evaluation."""

from __future__ import annotations

import weakref
from typing import Any

import torch

from .limits import Limited


class Roles:
    """A loader is for training if a backward follows its batch, for evaluation if a forward without gradients does."""

    def __init__(self) -> None:
        self.training: weakref.WeakSet[Any] = weakref.WeakSet()
        self.evaluations = 0  # forwards without gradients since training began
        self._pending: list[weakref.ref[Any]] = []
        self._trained = False

    def delivered(self, loader: Any) -> None:
        if loader is not None:
            self._pending.append(weakref.ref(loader))

    def forward(self, root: Any) -> None:
        if torch.is_grad_enabled() or next(root.parameters(), None) is None:
            return
        self._pending.clear()
        self.evaluations += self._trained

    def backward(self) -> list[Any]:
        """The loaders whose batches this backward comes from."""
        found = [loader for ref in self._pending if (loader := ref()) is not None]
        self.training.update(found)
        self._pending.clear()
        self._trained = True
        return found


MAX_CUTS = 3  # epochs that may be cut short to reach an evaluation
FURTHER = 3  # if epochs cannot be cut, wait for an evaluation up to this many times the steps


class UntilEvaluated(Limited):
    """Ends the script after the steps. With `evaluation`, it first cuts the epoch short to reach an evaluation."""

    def __init__(self, steps: int, seconds: float, evaluation: bool) -> None:
        super().__init__(steps, seconds)
        self._roles = Roles()
        self._evaluation = evaluation
        self._cuts = 0
        self._since_cut = 0

    @property
    def _seen(self) -> bool:
        return not self._evaluation or self._roles.evaluations > 0

    def batch(self, loader: Any, batch: Any) -> Any:
        self.check_time()
        if self.updates >= self.steps and loader in self._roles.training and self._since_cut and self._cuts < MAX_CUTS:
            if self._seen:
                self.stop("steps")
            self._cuts += 1
            self._since_cut = 0
            raise StopIteration  # the loader seems exhausted, so the script goes on to evaluate
        self._since_cut += 1
        self._roles.delivered(loader)
        return batch

    def forward_inputs(self, root: Any, args: Any, kwargs: Any) -> tuple[Any, Any]:
        self._roles.forward(root)
        return args, kwargs

    def before_backward(self, loss: Any) -> None:
        self._roles.backward()
        super().before_backward(loss)

    def updated(self) -> None:
        if self.updates < self.steps:
            return
        # If the script restarts its iterator by itself, no cut ends the epoch: then the steps alone decide.
        if self._seen or self._cuts >= MAX_CUTS or self.updates >= FURTHER * self.steps:
            self.stop("steps")

    def findings(self) -> dict[str, Any]:
        return {**super().findings(), "free_steps": min(self.updates, self.steps), "epochs_cut": self._cuts}
