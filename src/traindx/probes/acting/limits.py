"""Ends a script after a number of updates or seconds of training; and what a probe is inside the script's process."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

from ...observe.hook_points.hooks import Driver, StopTraining

# A script that updates its weights by hand never calls an optimizer. After this many backwards without an optimizer
# step, every backward counts as an update; gradient accumulation over more micro-batches than this is rare.
BY_HAND_AFTER = 64


class Limited(Driver):
    """Counts updates and measures time from the first backward, so that the script's setup is free."""

    def __init__(self, steps: int, seconds: float) -> None:
        self.steps = steps
        self.seconds = seconds
        self.updates = 0
        self.backwards = 0
        self.stopped_by: str | None = None
        self._began: float | None = None
        self._optimizer_steps = 0

    @property
    def spent(self) -> float:
        return 0.0 if self._began is None else perf_counter() - self._began

    def stop(self, why: str) -> None:
        self.stopped_by = why
        raise StopTraining

    def check_time(self) -> None:
        if self.spent > self.seconds:
            self.stop("time")

    def batch(self, loader: Any, batch: Any) -> Any:
        self.check_time()
        return batch

    def before_backward(self, loss: Any) -> None:
        if self._began is None:
            self._began = perf_counter()
        self.check_time()
        self.backwards += 1
        if not self._optimizer_steps and self.backwards > BY_HAND_AFTER:
            self.updates = self.backwards - 1
            self.updated()

    def after_step(self, optimizer: Any) -> None:
        self._optimizer_steps += 1
        self.updates += 1
        self.updated()

    def updated(self) -> None:
        """Called after every update."""
        if self.updates >= self.steps:
            self.stop("steps")

    def findings(self) -> dict[str, Any]:
        return {"stopped_by": self.stopped_by, "updates": self.updates, "seconds": self.spent}


@dataclass
class Part:
    """A driver, and watchers that are created for the session once torch is imported. What `findings` returns becomes
    the fact `probe`."""

    driver: Any
    watchers: list[Callable[[Any], Any]] = field(default_factory=list)
    findings: Callable[[], dict[str, Any]] = dict
