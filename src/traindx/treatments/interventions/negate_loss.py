"""Differentiates the loss with the opposite sign."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...observe.hook_points.hooks import Driver
from ...record import Run
from ...signs import Signs
from .._base import Dose, Intervening, Refusal

ID = "negate-loss"
TITLE = "Minimise what the script maximises"
TESTS = ("loss-sign-flipped",)
SAFETY = "changes-result"
JUDGED_BY = "score"
LEAVES = ("loss-negated", "loss-heads-wrong-way", "loss-negative-unbounded")  # read from the script's own loss


def doses(run: Run, signs: Signs, cause: str) -> Sequence[Dose] | Refusal:
    return [Dose({}, "the negated loss is differentiated")]


class _Negated(Intervening):
    def differentiated(self, loss: Any) -> Any:
        self.acted += 1
        return -loss


def begin(options: Mapping[str, Any]) -> Driver:
    return _Negated()
