"""How long the run is meant to be, and which part of it the looks cover."""

from __future__ import annotations

from typing import Any

from ..planned_length import loops_around
from ..schedule import DEEP, LIGHT
from ..session import Session

ORDER = 95

ASKED_FROM = (1, 20)  # steps: a length may become known only when a loader has run


class _Looks:
    def __init__(self) -> None:
        self.count, self.first, self.last = 0, -1, -1

    def add(self, step: int) -> None:
        if step != self.last:
            self.count += 1
            self.first = step if self.count == 1 else self.first
            self.last = step

    def facts(self, steps: int) -> dict[str, Any]:
        return {"looks": self.count, "first": self.first, "last": self.last, "until": (self.last + 1) / max(1, steps)}


class Watcher:
    name = "coverage"

    def __init__(self, session: Session) -> None:
        self.session = session
        self._looks = {"light": _Looks(), "deep": _Looks(), "evaluation": _Looks()}
        self._planned: dict[str, Any] | None = None
        self._asked = 0

    def scheduler_made(self, scheduler: Any, site: dict[str, Any] | None) -> None:
        total = vars(scheduler).get("total_steps")
        if type(total) is int and total > 0:  # OneCycleLR: one step of it is one of the training
            self._plan(total, f"{type(scheduler).__name__}.total_steps")
        for function in vars(scheduler).get("lr_lambdas") or ():  # transformers' schedules
            steps = getattr(function, "keywords", {}).get("num_training_steps")
            if type(steps) is int and steps > 0:
                self._plan(steps, "num_training_steps")

    def _plan(self, steps: int, source: str) -> None:
        if steps > self.session.step:
            self._planned = {"steps": steps, "source": source}
            self.session.schedule.planned = steps
            self.session.writer.fact("planned", self._planned)

    def backward_begin(self, loss: Any, frame: Any, keep: bool) -> None:
        session = self.session
        if self._asked < len(ASKED_FROM) and session.step >= ASKED_FROM[self._asked] and self._planned is None:
            self._asked += 1
            times = loops_around(frame, session.hooks.lengths)
            if times is not None:
                per_step = (session.backwards + 1) / (session.step + 1)
                self._plan(round(times / per_step), "loops")

    def forward_end(self, root: Any, args: Any, kwargs: Any, output: Any, seconds: float) -> None:
        if self.session.evaluating and self.session.has_parameters(root):
            self._looks["evaluation"].add(self.session.step)

    def step_end(self, optimizer: Any, closure: bool, seconds: float) -> None:
        if self.session.look >= LIGHT:
            self._looks["light"].add(self.session.step)
        if self.session.look == DEEP:
            self._looks["deep"].add(self.session.step)

    def flush(self) -> None:
        steps = self.session.step
        found = {kind: looks.facts(steps) for kind, looks in self._looks.items() if looks.count}
        self.session.writer.fact("coverage", found)

    finish = flush
