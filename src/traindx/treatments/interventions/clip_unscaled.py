"""Clips gradients after the scaler has unscaled them, with the script's own threshold."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from ...observe.hook_points.hooks import Driver
from ...record import Run
from ...signs import Signs
from .._base import Dose, Intervening, Refusal
from ._gradients import clip

ID = "clip-unscaled"
TITLE = "Unscale the gradients before clipping them"
TESTS = ("clip-before-unscale",)
SAFETY = "changes-result"
JUDGED_BY = "loss"
LEAVES = ("clip-before-unscale",)  # the script still calls the two in the wrong order; only the patch changes that


def doses(run: Run, signs: Signs, cause: str) -> Sequence[Dose] | Refusal:
    if run.fact("clipping").get("kind") != "norm":
        return Refusal("the script does not clip by norm")
    return [Dose({}, "the same threshold, applied to unscaled gradients")]


class _Later(Intervening):
    """Disables the script's clipping call, and clips right before the step."""

    def __init__(self) -> None:
        super().__init__()
        self._limit: float | None = None

    def clip_limit(self, kind: str, limit: Any) -> Any:
        if kind != "norm":
            return limit
        self._limit = float(limit)
        self.acted += 1
        return math.inf

    def before_step(self, optimizer: Any) -> None:
        if self._limit is not None:
            clip(optimizer, self._limit)


def begin(options: Mapping[str, Any]) -> Driver:
    return _Later()
