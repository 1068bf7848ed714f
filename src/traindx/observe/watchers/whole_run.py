"""The run as a whole: who runs the loop, how long it is to be, what of it the looks cover, where the time goes."""

from __future__ import annotations

import os
import sys
from time import perf_counter
from typing import Any

import torch

from ..fast_path.steps import FastSteps
from ..framework_loops import Loop, loop_around
from ..lengths import loops_around
from ..schedule import DEEP, LIGHT
from ..session import Session

# ── the framework whose code runs the loop, as the stack of the first backward shows it ───────────


class Framework:
    name = "framework"
    AFTER = ()
    ONLY_ON_LOOKS = frozenset({"backward_begin"})

    def __init__(self, session: Session) -> None:
        self.session = session
        self._known = False
        self._loop: Loop | None = None

    def backward_begin(self, loss: Any, frame: Any, keep: bool) -> None:
        if not self._known:
            self._known = True
            self._loop = loop_around(sys._getframe(1))
            if self._loop is not None:
                self.session.writer.fact("framework", self._loop.fact)
                if self._loop.too_old:
                    self.session.not_visible(self._loop.too_old)
        self.flush()

    def flush(self) -> None:
        if self._loop is not None:
            for name, step, value in self._loop.metrics(self.session.step):
                self.session.metrics.scalar(f"metric/{name}", step, value)


# ── length and coverage ───────────────────────────────────────────────────────────────────────────

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


class Coverage:
    name = "coverage"
    AFTER = ("trained forwards",)

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
            loop = loop_around(sys._getframe(1)) if times is None else None
            if loop is not None and (steps := loop.planned()) is not None:
                self._plan(steps, loop.name)
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


# ── time and memory ───────────────────────────────────────────────────────────────────────────────


class Timing:
    name = "timing"
    AFTER = ("trained forwards",)
    EVERY_RANK = True

    def __init__(self, session: Session) -> None:
        self.session = session
        self._began = perf_counter()
        self._last_end = 0.0  # of a step: what the script did before its first one is no part of that
        self._spent = [0.0, 0.0, 0.0]  # data, forward, backward since the last step
        self._waited = False  # for a loader, in this step
        self._evaluating = False
        self._before_forward: float | None = None  # from the end of the last step to this one's first forward
        self._page = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096

    def batch_ready(self, loader: Any, batch: Any, seconds: float) -> None:
        self._spent[0] += seconds
        self._waited = True

    def forward_begin(self, root: Any, args: Any, kwargs: Any) -> None:
        if self._before_forward is None and self._last_end:
            self._before_forward = self.session.hooks.clock() - self._last_end

    def forward_end(self, root: Any, args: Any, kwargs: Any, output: Any, seconds: float) -> None:
        self._spent[1] += seconds
        if self.session.evaluating:
            self._evaluating = True

    def backward_begin(self, loss: Any, frame: Any, keep: bool) -> None:
        if self._evaluating:  # the time since the last step was spent on an evaluation: this step is not timed whole
            self._last_end = 0.0
            self._evaluating = False

    def backward_end(self, loss: Any, seconds: float) -> None:
        self._spent[2] += seconds
        if not self.session.optimizers:
            self._file(0.0)

    def step_end(self, optimizer: Any, closure: bool, seconds: float) -> None:
        self._file(max(0.0, seconds - sum(self._spent)) if closure else seconds)

    def fast_steps_ended(self, fast: FastSteps) -> None:
        self._spent, self._waited = [0.0, 0.0, 0.0], False
        self._before_forward = None
        self._last_end = (
            0.0 if fast.within_a_step else self.session.hooks.clock()
        )  # a step observed in part is not timed

    def _file(self, step_seconds: float) -> None:
        step, now = self.session.step, self.session.hooks.clock()
        if self._last_end:
            put = self.session.metrics.scalar
            put("clock", step, perf_counter() - self._began)
            if self._waited:  # what else passes before the forward may be anything: logging, a copy, a batch by hand
                put("time/data", step, self._spent[0])
            put("time/between", step, max(0.0, (self._before_forward or 0.0) - self._spent[0]))
            put("time/forward", step, self._spent[1])
            put("time/backward", step, self._spent[2])
            put("time/step", step, step_seconds)
            put("time/total", step, max(sum(self._spent) + step_seconds, now - self._last_end))
        self._spent, self._waited = [0.0, 0.0, 0.0], False
        self._before_forward = None
        self._last_end = now

    def flush(self) -> None:
        size = self._resident()
        if size:
            self.session.writer.point("memory", self.session.step, size)

    def _resident(self) -> float:
        if torch.cuda.is_available() and torch.cuda.is_initialized():
            return float(torch.cuda.memory_allocated())
        if sys.platform.startswith("linux"):
            with open("/proc/self/statm") as statm:
                return float(int(statm.read().split()[1]) * self._page)
        return 0.0
