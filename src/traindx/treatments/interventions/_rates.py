"""Interventions on the learning rate, which override the script's own value during each step."""

from __future__ import annotations

from typing import Any

from ...probes.acting.rates import Override as Override
from ...probes.acting.rates import Scaled as Scaled
from .._base import Intervening


class Overriding(Intervening):
    """Counts the steps whose learning rate differs from the script's own."""

    def __init__(self, rates: Override) -> None:
        super().__init__()
        self._rates = rates

    def before_step(self, optimizer: Any) -> None:
        own = [float(group["lr"]) for group in optimizer.param_groups]
        self._rates.before_step(optimizer)
        self.acted += own != [float(group["lr"]) for group in optimizer.param_groups]

    def after_step(self, optimizer: Any) -> None:
        self._rates.after_step(optimizer)
