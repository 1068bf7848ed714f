"""Ends a script after a number of updates and, on request, its next evaluation."""

from __future__ import annotations

from typing import Any

from .limits import Limited
from .roles import Roles

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
