"""Overrides learning rates during a step; outside it, the script and its schedulers see their own values."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any


def own_rate(group: dict[str, Any]) -> float:
    """The intended learning rate of a param group: the scheduler's peak or base, or else the current one."""
    for key in ("max_lr", "initial_lr", "lr"):
        if key in group:
            return float(group[key])
    return 0.0


# The rate of a group at a step, by the script's own rate, the highest that it has set so far, and the number of steps
# that the optimizer has made.
Wanted = Callable[[float, float, int], float]


class Override:
    """Sets every group's learning rate before a step and restores the script's own after it."""

    def __init__(self, wanted: Wanted) -> None:
        self._wanted = wanted
        self._held: weakref.WeakKeyDictionary[Any, list[Any]] = weakref.WeakKeyDictionary()
        self._steps: dict[int, int] = {}
        self.peak: dict[tuple[int, int], float] = {}  # the highest learning rate that the script set, by group
        self.optimizers: list[weakref.ref[Any]] = []

    def index(self, optimizer: Any) -> int:
        for number, known in enumerate(self.optimizers):
            if known() is optimizer:
                return number
        self.optimizers.append(weakref.ref(optimizer))
        return len(self.optimizers) - 1

    def rates(self, optimizer: Any) -> list[float]:
        """The learning rates for this step."""
        number = self.index(optimizer)
        step = self._steps[number] = self._steps.get(number, -1) + 1
        groups = enumerate(optimizer.param_groups)
        return [self._wanted(float(group["lr"]), self.peak[number, g], step) for g, group in groups]

    def before_step(self, optimizer: Any) -> None:
        number = self.index(optimizer)
        for g, group in enumerate(optimizer.param_groups):
            now = max(float(group["lr"]), own_rate(group))
            self.peak[number, g] = max(now, self.peak.get((number, g), 0.0))
        self._held[optimizer] = [group["lr"] for group in optimizer.param_groups]
        for group, rate in zip(optimizer.param_groups, self.rates(optimizer), strict=True):
            old = group["lr"]  # a tensor for capturable optimizers
            group["lr"] = old.new_tensor(rate) if hasattr(old, "new_tensor") else rate

    def after_step(self, optimizer: Any) -> None:
        held = self._held.pop(optimizer, None)
        if held is not None:
            for group, rate in zip(optimizer.param_groups, held, strict=True):
                group["lr"] = rate


def times_peak(factor: float) -> Wanted:
    """A factor times the highest learning rate that the script has set so far, so no schedule lowers it."""
    return lambda own, peak, step: factor * peak
