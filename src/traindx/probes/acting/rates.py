"""Overrides learning rates for the length of a step; the script and its schedulers keep seeing their own."""

from __future__ import annotations

import weakref
from typing import Any


def own_rate(group: dict[str, Any]) -> float:
    """The learning rate that a param group is meant to reach: the scheduler's base or peak, or what is set."""
    for key in ("max_lr", "initial_lr", "lr"):
        if key in group:
            return float(group[key])
    return 0.0


class Override:
    """Sets every group's learning rate before a step and puts the script's own back after it."""

    def __init__(self) -> None:
        self._held: weakref.WeakKeyDictionary[Any, list[Any]] = weakref.WeakKeyDictionary()
        self.peak: dict[tuple[int, int], float] = {}  # the highest rate that the script itself set, by group
        self.optimizers: list[weakref.ref[Any]] = []

    def index(self, optimizer: Any) -> int:
        for number, known in enumerate(self.optimizers):
            if known() is optimizer:
                return number
        self.optimizers.append(weakref.ref(optimizer))
        return len(self.optimizers) - 1

    def rates(self, optimizer: Any) -> list[float]:
        """The learning rates for this step."""
        raise NotImplementedError

    def before_step(self, optimizer: Any) -> None:
        number = self.index(optimizer)
        for g, group in enumerate(optimizer.param_groups):
            now = max(float(group["lr"]), own_rate(group))
            self.peak[number, g] = max(now, self.peak.get((number, g), 0.0))
        self._held[optimizer] = [group["lr"] for group in optimizer.param_groups]
        for group, rate in zip(optimizer.param_groups, self.rates(optimizer), strict=True):
            group["lr"] = _like(group["lr"], rate)

    def after_step(self, optimizer: Any) -> None:
        held = self._held.pop(optimizer, None)
        if held is not None:
            for group, rate in zip(optimizer.param_groups, held, strict=True):
                group["lr"] = rate


def _like(old: Any, rate: float) -> Any:
    """A learning rate in a tensor (capturable optimizers) stays a tensor."""
    return old.new_tensor(rate) if hasattr(old, "new_tensor") else rate


class Scaled(Override):
    """The highest learning rate set so far, times a factor: schedules are suspended, warm-ups are not."""

    def __init__(self, factor: float) -> None:
        super().__init__()
        self.factor = factor

    def rates(self, optimizer: Any) -> list[float]:
        number = self.index(optimizer)
        groups = range(len(optimizer.param_groups))
        return [self.factor * self.peak[number, g] for g in groups]


class Times(Override):
    """The script's own learning rate of each step, times a factor: schedules keep their shape."""

    def __init__(self, factor: float) -> None:
        super().__init__()
        self.factor = factor

    def rates(self, optimizer: Any) -> list[float]:
        return [self.factor * float(group["lr"]) for group in optimizer.param_groups]
