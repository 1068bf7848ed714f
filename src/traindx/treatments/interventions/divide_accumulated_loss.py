"""Divides the loss of each micro-batch by the number of micro-batches before it is differentiated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...observe.hook_points.hooks import Driver
from ...record import Run
from ...signs import Signs
from .._base import Dose, Intervening, Refusal

ID = "divide-accumulated-loss"
TITLE = "Divide the loss by the number of accumulated micro-batches"
TESTS = ("unscaled-accumulation",)
SAFETY = "changes-result"
JUDGED_BY = "loss"
LEAVES = ("accumulation-unscaled",)  # read from the script's own loss, which stays as it is


def doses(run: Run, signs: Signs, cause: str) -> Sequence[Dose] | Refusal:
    counts = [float(entry.get("per_step") or 0) for entry in run.entries("backward_sites")]
    count = round(max(counts, default=0.0))
    if count < 2:
        return Refusal("no step follows several backward passes")
    return [Dose({"count": count}, f"loss divided by {count}")]


class _Divided(Intervening):
    def __init__(self, count: int) -> None:
        super().__init__()
        self._count = count

    def differentiated(self, loss: Any) -> Any:
        self.acted += 1
        return loss / self._count


def begin(options: Mapping[str, Any]) -> Driver:
    return _Divided(int(options["count"]))
