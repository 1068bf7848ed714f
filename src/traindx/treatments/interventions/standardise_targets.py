"""Scales the model's output to the targets' range before the loss, so that the model itself works in standard units.

This is equivalent to standardising the targets. But the loss keeps its units, so that the two runs can be compared, and
it also works with losses written by hand.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...observe.hook_points.hooks import Driver
from ...record import Run
from ...record.losses import REGRESSION
from ...signs import Signs
from ...wording import num
from .._base import Dose, Intervening, Refusal
from ._arguments import floating
from ._numbers import numbers

ID = "standardise-targets"
TITLE = "Standardise the targets"
TESTS = ("unscaled-targets", "output-range-mismatch")
SAFETY = "changes-result"
JUDGED_BY = "loss"

BOUNDED = {"sigmoid": (0.0, 1.0), "tanh": (-1.0, 1.0)}  # what a bounded output reaches


def doses(run: Run, signs: Signs, cause: str) -> Sequence[Dose] | Refusal:
    losses = [loss for loss in run.training_losses if loss.kind in REGRESSION]
    if not losses:
        return Refusal("the script uses no standard regression loss")
    if len(run.models) != 1:
        return Refusal("several models are called, and it is unknown which one makes the prediction")
    power = 1 if losses[0].kind == "absolute" else 2
    if cause == "output-range-mismatch":
        limits = BOUNDED.get(losses[0].made_by.lower())
        low, high = losses[0].target.min, losses[0].target.max
        if limits is None or low is None or high is None or high <= low:
            return Refusal("the last activation is not bounded on both sides")
        scale = (high - low) / (limits[1] - limits[0])
        text = f"output from {num(limits[0])} … {num(limits[1])} to the targets' {num(low)} … {num(high)}"
        return [Dose({"mean": low - limits[0] * scale, "std": scale, "power": power}, text)]
    facts = run.fact("targets/train")
    found = numbers([facts.get("mean"), facts.get("std")])
    if not found or found[1] <= 0:
        return Refusal("the targets were not measured, or are constant")
    text = f"targets from mean {num(found[0])}, std {num(found[1])} to 0, 1"
    return [Dose({"mean": found[0], "std": found[1], "power": power}, text)]


class _Standardised(Intervening):
    def __init__(self, mean: float, std: float, power: int) -> None:
        super().__init__()
        self._mean, self._std, self._power = mean, std, power

    def forward_output(self, root: Any, output: Any) -> Any:
        if not floating(output) or next(root.parameters(), None) is None:
            return output
        self.acted += 1
        return output * self._std + self._mean

    def differentiated(self, loss: Any) -> Any:
        # In standard units, a squared error is smaller by the square of the scale.
        return loss / self._std**self._power


def begin(options: Mapping[str, Any]) -> Driver:
    return _Standardised(float(options["mean"]), float(options["std"]), int(options["power"]))
