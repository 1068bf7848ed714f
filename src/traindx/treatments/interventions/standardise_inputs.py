"""Standardises the model's inputs with the mean and std of the control run, in training and evaluation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...observe.hook_points.hooks import Driver
from ...record import Run
from ...signs import Signs
from ...wording import num
from .._base import Dose, Intervening, Refusal
from ._arguments import trains, with_first_float
from ._numbers import numbers

ID = "standardise-inputs"
TITLE = "Standardise the inputs"
TESTS = ("unscaled-inputs", "saturated-activations")
SAFETY = "changes-result"
JUDGED_BY = "loss"

SMALLEST = 1e-6  # a feature with a smaller std counts as constant and is not scaled


def doses(run: Run, signs: Signs, cause: str) -> Sequence[Dose] | Refusal:
    data = run.fact("data/train")
    if cause == "saturated-activations" and not any(
        (signs.level(name) or 0.0) >= 0.5 for name in ("input-scale-odd", "input-scale-spread")
    ):
        return Refusal("the inputs have an ordinary scale")
    mean, std = numbers(data.get("feature_mean")), numbers(data.get("feature_std"))
    if mean and len(mean) == len(std):
        return [Dose({"mean": mean, "std": std}, f"each of {len(mean)} input features to mean 0 and std 1")]
    mean, std = numbers([data.get("mean")]), numbers([data.get("std")])
    if not mean or not std or std[0] <= 0:
        return Refusal("the inputs that enter the model were not measured, or are not numbers")
    return [Dose({"mean": mean, "std": std}, f"inputs from mean {num(mean[0])}, std {num(std[0])} to 0 and 1")]


class _Standardised(Intervening):
    def __init__(self, mean: Sequence[float], std: Sequence[float]) -> None:
        super().__init__()
        self._mean, self._std = list(mean), [value if value > SMALLEST else 1.0 for value in std]

    def forward_inputs(self, root: Any, args: Any, kwargs: Any) -> tuple[Any, Any]:
        return with_first_float(args, kwargs, self._changed) if trains(root) else (args, kwargs)

    def _changed(self, given: Any) -> Any:
        if len(self._mean) > 1 and (given.dim() < 2 or given.shape[-1] != len(self._mean)):
            return given
        self.acted += 1
        mean, std = given.new_tensor(self._mean), given.new_tensor(self._std)
        return (given - mean) / std


def begin(options: Mapping[str, Any]) -> Driver:
    return _Standardised(options["mean"], options["std"])
