"""Ends a script after so many updates, with a short cut to its next evaluation."""

from __future__ import annotations

from typing import Any

from .limits import Limited
from .roles import Roles

MAX_CUTS = 3  # epochs that may be cut short on the way to an evaluation
FURTHER = 3  # times the steps that are waited for an evaluation where epochs cannot be cut


class UntilEvaluated(Limited):
    """With `evaluation`, the steps are followed by the evaluation that the script makes next."""

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
            raise StopIteration  # the epoch ends here, so that the script goes on to evaluate
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
        # Epochs of an iterator that the script itself restarts never end: then the steps alone decide.
        if self._seen or self._cuts >= MAX_CUTS or self.updates >= FURTHER * self.steps:
            self.stop("steps")

    def findings(self) -> dict[str, Any]:
        return {**super().findings(), "free_steps": min(self.updates, self.steps), "epochs_cut": self._cuts}
