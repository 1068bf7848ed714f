"""Weights the classes in the loss by the inverse of their frequency in this run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...observe.hook_points.hooks import Driver
from ...record import Run
from ...record.values import number
from ...signs import Signs
from ...wording import num
from .._base import Dose, Intervening, Refusal
from ._arguments import floating, loss_pair

ID = "reweigh-classes"
TITLE = "Weight the classes in the loss by inverse frequency"
TESTS = ("class-imbalance",)
SAFETY = "changes-result"
JUDGED_BY = "score"

MOST = 100.0  # limit of a weight, so that a class that was seen once does not dominate the loss


def doses(run: Run, signs: Signs, cause: str) -> Sequence[Dose] | Refusal:
    histogram = run.fact("targets/train").get("histogram")
    counts = _counts(histogram) if isinstance(histogram, Mapping) else {}
    functions = {loss.fn for loss in run.training_losses}
    if len(counts) < 2:
        return Refusal("fewer than two classes were seen among the targets")
    if "binary_cross_entropy_with_logits" in functions and set(counts) == {0, 1}:
        weight = min(MOST, counts[0] / counts[1])
        return [Dose({"pos_weight": weight}, f"positives weighted by {num(weight)}")]
    if not functions & {"cross_entropy", "nll_loss"}:
        return Refusal("the loss takes no class weights")
    total = sum(counts.values())
    weights = {str(key): min(MOST, total / (len(counts) * count)) for key, count in counts.items()}
    return [Dose({"weights": weights}, f"{len(counts)} classes weighted by the inverse of their frequency")]


def _counts(histogram: Mapping[str, Any]) -> dict[int, float]:
    found: dict[int, float] = {}
    for key, value in histogram.items():
        count = number(value)
        if count and str(key).removesuffix(".0").lstrip("-").isdecimal():
            found[int(float(key))] = count
    return found


class _Weighed(Intervening):
    def __init__(self, options: Mapping[str, Any]) -> None:
        super().__init__()
        self._positive = options.get("pos_weight")
        self._weights = {int(key): float(value) for key, value in options.get("weights", {}).items()}

    def loss_inputs(self, name: str, args: Any, kwargs: Any) -> tuple[Any, Any]:
        given, _ = loss_pair(args, kwargs)
        if not floating(given):
            return args, kwargs
        if name == "binary_cross_entropy_with_logits" and self._positive is not None:
            if kwargs.get("pos_weight") is None:
                self.acted += 1
                kwargs = {**kwargs, "pos_weight": given.new_tensor(float(self._positive))}
        elif name in ("cross_entropy", "nll_loss") and self._weights and len(args) < 3 and kwargs.get("weight") is None:
            classes = given.shape[1] if given.dim() > 1 else given.shape[0]
            self.acted += 1
            weights = given.new_tensor([self._weights.get(i, 1.0) for i in range(classes)])
            kwargs = {**kwargs, "weight": weights}
        return args, kwargs


def begin(options: Mapping[str, Any]) -> Driver:
    return _Weighed(options)
