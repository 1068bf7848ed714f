"""Learning rates and schedules. A rate is overridden during each step only, so the script and its schedulers see their
own values."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from ...probes.acting.rates import Override, Wanted, times_peak
from .acting import Intervening

RAMP_START = 0.01  # share of the learning rate at the first step of a ramp


# The share of the script's own learning rate, by the step and the length of the shape.
SHAPES: Mapping[str, Callable[[int, int], float]] = {
    "cosine": lambda step, steps: 0.5 * (1.0 + math.cos(math.pi * min(1.0, step / steps))),
    "ramp": lambda step, steps: min(1.0, RAMP_START + (1.0 - RAMP_START) * step / steps),
    "stop": lambda step, steps: float(step < steps),  # the steps continue, so the script evaluates as before
}


class Overridden(Intervening):
    """Counts the steps whose learning rate differs from the script's own."""

    def __init__(self, wanted: Wanted) -> None:
        super().__init__()
        self._rates = Override(wanted)

    def before_step(self, optimizer: Any) -> None:
        own = [float(group["lr"]) for group in optimizer.param_groups]
        self._rates.before_step(optimizer)
        self.acted += own != [float(group["lr"]) for group in optimizer.param_groups]

    def after_step(self, optimizer: Any) -> None:
        self._rates.after_step(optimizer)


class Multiplied(Overridden):
    """Schedules keep their shape. `lr` is the resulting learning rate, for the report."""

    def __init__(self, factor: float, lr: float | None = None) -> None:
        super().__init__(lambda own, peak, step: factor * own)


class Shaped(Overridden):
    def __init__(self, shape: str, steps: int) -> None:
        super().__init__(lambda own, peak, step: SHAPES[shape](step, max(1, steps)) * own)


class HeldAtPeak(Overridden):
    def __init__(self) -> None:
        super().__init__(times_peak(1.0))


class RareScheduler(Intervening):
    """Lets only every n-th call of `scheduler.step()` through."""

    def __init__(self, every: int) -> None:
        super().__init__()
        self._every = every
        self._asked: dict[int, int] = {}

    def scheduler_step(self, scheduler: Any) -> bool:
        asked = self._asked[id(scheduler)] = self._asked.get(id(scheduler), 0) + 1
        passes = asked % self._every == 0
        self.acted += not passes
        return passes
