"""Clips the gradient norm before each step, at a threshold chosen from this run's ordinary norms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...causes import all_causes
from ...observe.hook_points.hooks import Driver
from ...record import Run
from ...signs import Signs
from ...wording import num
from .._base import Dose, Intervening, Refusal
from ._gradients import clip

ID = "clip-gradients"
TITLE = "Clip the gradient norm"
TESTS = ("exploding-gradients",)
SAFETY = "changes-result"
JUDGED_BY = "loss"

TIGHTER = 0.25  # share of the fix's threshold, if that is not enough


def doses(run: Run, signs: Signs, cause: str) -> Sequence[Dose] | Refusal:
    limit = all_causes()[cause].fix(run, signs).sets.get("max_norm")
    if not run.optimizers or limit is None:
        return Refusal("no optimizer was seen: the script updates its weights by hand")
    return [Dose({"max_norm": each}, f"gradient norm clipped at {num(each)}") for each in (limit, TIGHTER * limit)]


class _Clipped(Intervening):
    def __init__(self, limit: float) -> None:
        super().__init__()
        self._limit = limit

    def before_step(self, optimizer: Any) -> None:
        self.acted += clip(optimizer, self._limit)


def begin(options: Mapping[str, Any]) -> Driver:
    return _Clipped(float(options["max_norm"]))
