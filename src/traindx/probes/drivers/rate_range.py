"""Raises the learning rate exponentially from step to step inside the user's loop."""

from __future__ import annotations

import math
from typing import Any

import torch

from ...observe.metric_queue import cpu_value
from ..acting.limits import Limited, Part
from ..acting.rates import Override
from ..rate_curve import Smoothed

SURE = 3  # the curve counts as diverged after this many steps in a row above the limit


class _Ramp(Override):
    """Group 0 of optimizer 0 follows the ramp; all other groups keep their ratio to it."""

    def __init__(self, low: float, high: float, steps: int) -> None:
        super().__init__(lambda own, peak, step: own)
        self._low, self._growth, self._last = low, math.log(high / low) / max(1, steps - 1), steps - 1
        self.step = 0
        self._first: dict[tuple[int, int], float] = {}

    def rates(self, optimizer: Any) -> list[float]:
        number = self.index(optimizer)
        now = self._low * math.exp(self._growth * min(self.step, self._last))
        groups = range(len(optimizer.param_groups))
        for g in groups:
            self._first.setdefault((number, g), self.peak[number, g])
        base = self._first.get((0, 0)) or 1.0
        return [now * (self._first[number, g] / base) for g in groups]


class _RateRange(Limited):
    def __init__(self, options: dict[str, Any]) -> None:
        super().__init__(int(options["steps"]), float(options["seconds"]))
        self._ramp = _Ramp(float(options["low"]), float(options["high"]), self.steps)
        self._smoothed = Smoothed()
        self._above = 0
        self._pending: list[float] = []

    def before_backward(self, loss: Any) -> None:
        super().before_backward(loss)
        value = cpu_value(loss) if isinstance(loss, torch.Tensor) and loss.numel() == 1 else None
        if value is None and isinstance(loss, torch.Tensor):
            value = float(loss.detach().float().mean())  # on a device: a test may cost one read per step
        if value is not None:
            self._pending.append(value)

    def before_step(self, optimizer: Any) -> None:
        self._ramp.before_step(optimizer)

    def after_step(self, optimizer: Any) -> None:
        self._ramp.after_step(optimizer)
        if self._ramp.index(optimizer) == 0:
            self._ramp.step += 1
            values, self._pending = self._pending, []
            if values:
                self._judge(sum(values) / len(values))
            super().after_step(optimizer)

    def _judge(self, value: float) -> None:
        if not math.isfinite(value):
            self.stop("diverged")
        self._smoothed.add(value)
        self._above = self._above + 1 if self._smoothed.diverged else 0
        if self._above >= SURE:
            self.stop("diverged")

    def findings(self) -> dict[str, Any]:
        return {
            **super().findings(),
            "own_rate": self._ramp.peak.get((0, 0)),
            "optimizers": len(self._ramp.optimizers),
            "groups": sum(1 for number, _ in self._ramp.peak if number == 0),
        }


def begin(options: dict[str, Any]) -> Part:
    driver = _RateRange(options)
    return Part(driver, [], driver.findings)
