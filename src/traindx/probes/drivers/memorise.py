"""Feeds the user's loop the same batch at every step until the batch is overfitted."""

from __future__ import annotations

import math
from typing import Any

import torch

from ...observe.metric_queue import cpu_value
from ...observe.watchers.loss_inputs import given_pair
from ..acting.part import Part
from ..acting.pinning import Pinned
from ..acting.rates import Scaled
from ..floors import floor_of

KNOWN = 0.02  # the batch is overfitted when this share of the way from trivial loss to floor remains


class _Memorise(Pinned):
    def __init__(self, steps: int, seconds: float, factor: float) -> None:
        super().__init__(steps, seconds)
        self._rates = Scaled(factor)
        self._goal: float | None = None
        self._reached = 0
        self.floor: dict[str, Any] | None = None

    def loss_inputs(self, name: str, args: Any, kwargs: Any) -> tuple[Any, Any]:
        args, kwargs = super().loss_inputs(name, args, kwargs)
        first, target = given_pair("", (args, kwargs))  # by position, as in `Pinned`
        if self.floor is None and isinstance(first, torch.Tensor) and first.requires_grad:
            self.floor = floor_of(name, first, target, kwargs)
        return args, kwargs

    def before_backward(self, loss: Any) -> None:
        super().before_backward(loss)
        value = cpu_value(loss) if isinstance(loss, torch.Tensor) and loss.numel() == 1 else None
        if value is None or not math.isfinite(value):
            return
        if self._goal is None and self.floor is not None:
            floor, trivial = self.floor["floor"], self.floor["trivial"]
            self._goal = floor + KNOWN * (min(trivial, value) - floor)
        if self._goal is not None:
            self._reached = self._reached + 1 if value <= self._goal else 0

    def before_step(self, optimizer: Any) -> None:
        self._rates.before_step(optimizer)

    def after_step(self, optimizer: Any) -> None:
        self._rates.after_step(optimizer)
        super().after_step(optimizer)

    def updated(self) -> None:
        if self._reached >= 3:  # once may be luck with a dropout mask
            self.stop("goal")
        super().updated()

    def findings(self) -> dict[str, Any]:
        return {**super().findings(), "floor": self.floor, "factor": self._rates.factor}


def begin(options: dict[str, Any]) -> Part:
    driver = _Memorise(int(options["steps"]), float(options["seconds"]), float(options.get("factor", 1.0)))
    return Part(driver, [], driver.findings)
