"""Raises the threshold of the script's own gradient clipping, or turns clipping off."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from ...causes import all_causes
from ...observe.hook_points.hooks import Driver
from ...record import Run
from ...signs import Signs
from ...wording import num
from .._base import Dose, Intervening, Refusal

ID = "lift-clip"
TITLE = "Raise the clipping threshold"
TESTS = ("clip-too-tight",)
SAFETY = "changes-result"
JUDGED_BY = "loss"


def doses(run: Run, signs: Signs, cause: str) -> Sequence[Dose] | Refusal:
    clipping = run.fact("clipping")
    if not clipping:
        return Refusal("the script calls no clipping function")
    limit = all_causes()[cause].fix(run, signs).sets.get("max_norm")
    lifted = Dose({}, "clipping turned off")
    if limit is None or clipping.get("kind") != "norm":
        return [lifted]
    return [Dose({"max_norm": limit}, f"gradient norm clipped at {num(limit)}"), lifted]


class _Lifted(Intervening):
    def __init__(self, limit: float) -> None:
        super().__init__()
        self._limit = limit

    def clip_limit(self, kind: str, limit: Any) -> Any:
        self.acted += float(limit) < self._limit
        return max(float(limit), self._limit)


def begin(options: Mapping[str, Any]) -> Driver:
    return _Lifted(float(options.get("max_norm", math.inf)))
