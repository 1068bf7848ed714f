"""Standardises the targets where they enter a regression loss; in evaluation, too."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...observe.hook_points.hooks import Driver
from ...record import Run
from ...signs import Signs
from ...wording import num
from .._base import Dose, Intervening, Refusal
from ._arguments import REGRESSION, floating, loss_pair, with_pair
from ._numbers import numbers

ID = "standardise-targets"
TITLE = "Standardise the targets"
TESTS = ("unscaled-targets", "output-range-mismatch")
SAFETY = "changes-result"
JUDGED_BY = "score"

# Of a bounded output: where the range of the targets goes.
BOUNDED = {"sigmoid": (0.0, 1.0), "tanh": (-1.0, 1.0)}


def doses(run: Run, signs: Signs, cause: str) -> Sequence[Dose] | Refusal:
    losses = [loss for loss in run.training_losses if loss.fn in REGRESSION]
    if not losses:
        return Refusal("the targets enter no standard regression loss")
    facts = run.fact("targets/train")
    if cause == "output-range-mismatch":
        limits = BOUNDED.get(losses[0].made_by.lower())
        low, high = losses[0].target.min, losses[0].target.max
        if limits is None or low is None or high is None or high <= low:
            return Refusal("the last activation is not bounded on both sides")
        scale = (high - low) / (limits[1] - limits[0])
        text = f"targets from {num(low)} … {num(high)} to {num(limits[0])} … {num(limits[1])}"
        return [Dose({"mean": low - limits[0] * scale, "std": scale}, text)]
    found = numbers([facts.get("mean"), facts.get("std")])
    if not found or found[1] <= 0:
        return Refusal("the targets were not measured, or are constant")
    return [
        Dose({"mean": found[0], "std": found[1]}, f"targets from mean {num(found[0])}, std {num(found[1])} to 0, 1")
    ]


class _Standardised(Intervening):
    def __init__(self, mean: float, std: float) -> None:
        super().__init__()
        self._mean, self._std = mean, std

    def loss_inputs(self, name: str, args: Any, kwargs: Any) -> tuple[Any, Any]:
        given, target = loss_pair(args, kwargs)
        if name not in REGRESSION or not floating(target) or target.requires_grad:
            return args, kwargs
        self.acted += 1
        return with_pair(args, kwargs, given, (target - self._mean) / self._std)


def begin(options: Mapping[str, Any]) -> Driver:
    return _Standardised(float(options["mean"]), float(options["std"]))
