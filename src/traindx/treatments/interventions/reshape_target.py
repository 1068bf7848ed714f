"""Gives the target the shape of the output where the two would broadcast against each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...observe.hook_points.hooks import Driver
from ...record import Run
from ...signs import Signs
from .._base import Dose, Intervening, Refusal
from ._arguments import REGRESSION, floating, loss_pair, with_pair

ID = "reshape-target"
TITLE = "Give the target the shape of the output"
TESTS = ("broadcast-loss",)
SAFETY = "changes-result"
JUDGED_BY = "score"

ELEMENTWISE = (*REGRESSION, "binary_cross_entropy", "binary_cross_entropy_with_logits", "gaussian_nll_loss")


def doses(run: Run, signs: Signs, cause: str) -> Sequence[Dose] | Refusal:
    if not any(loss.fn in ELEMENTWISE for loss in run.training_losses):
        return Refusal("the loss is computed by hand: its target cannot be reached")
    return [Dose({}, "target reshaped like the output")]


class _Reshaped(Intervening):
    def loss_inputs(self, name: str, args: Any, kwargs: Any) -> tuple[Any, Any]:
        given, target = loss_pair(args, kwargs)
        if name not in ELEMENTWISE or not floating(given) or not hasattr(target, "shape"):
            return args, kwargs
        if given.shape == target.shape or given.numel() != target.numel():
            return args, kwargs
        self.acted += 1
        return with_pair(args, kwargs, given, target.reshape(given.shape))


def begin(options: Mapping[str, Any]) -> Driver:
    return _Reshaped()
