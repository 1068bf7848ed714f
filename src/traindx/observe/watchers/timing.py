"""Where the time goes: waiting for data, forward, backward, step; and the memory that the process holds."""

from __future__ import annotations

import os
import sys
from time import perf_counter
from typing import Any

import torch

from ..fast_path.steps import FastSteps
from ..session import Session

ORDER = 90
EVERY_RANK = True  # see recording.RankRecording


class Watcher:
    name = "timing"

    def __init__(self, session: Session) -> None:
        self.session = session
        self._began = self._last_end = perf_counter()
        self._spent = [0.0, 0.0, 0.0]  # data, forward, backward since the last step
        self._spent_by_then = 0.0  # on observing, when the last step ended
        self._waited = False  # for a loader, in this step
        self._evaluating = False
        self._before_forward: float | None = None  # from the end of the last step to this one's first forward
        self._page = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096

    def batch_ready(self, loader: Any, batch: Any, seconds: float) -> None:
        self._spent[0] += seconds
        self._waited = True

    def forward_begin(self, root: Any, args: Any, kwargs: Any) -> None:
        if self._before_forward is None and self._last_end:
            self._before_forward = max(0.0, perf_counter() - self._last_end - self._own())

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
        self._last_end = 0.0 if fast.within_a_step else perf_counter()  # a step observed in part is not timed
        self._spent_by_then = self.session.schedule.spent

    def _file(self, step_seconds: float) -> None:
        step = self.session.step
        now = perf_counter()
        if self._last_end:
            put = self.session.metrics.scalar
            put("clock", step, now - self._began)
            if self._waited:  # what else passes before the forward may be anything: logging, a copy, a batch by hand
                put("time/data", step, self._spent[0])
            put("time/between", step, max(0.0, (self._before_forward or 0.0) - self._spent[0]))
            put("time/forward", step, self._spent[1])
            put("time/backward", step, self._spent[2])
            put("time/step", step, step_seconds)
            put("time/total", step, max(sum(self._spent) + step_seconds, now - self._last_end - self._own()))
        self._spent, self._waited = [0.0, 0.0, 0.0], False
        self._before_forward = None
        self._last_end = now
        self._spent_by_then = self.session.schedule.spent

    def _own(self) -> float:
        """Seconds spent on observing since the last step, which are subtracted from the step's time."""
        return self.session.schedule.spent - self._spent_by_then

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
