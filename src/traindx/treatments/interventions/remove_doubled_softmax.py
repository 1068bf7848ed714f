"""Converts probabilities back to scores before a loss that applies softmax or sigmoid itself.

The logarithm of a softmax output has the same softmax as the original scores, so this removes only the second softmax.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...observe.hook_points.hooks import Driver
from ...record import Run
from ...signs import Signs
from .._base import Dose, Intervening, Refusal

ID = "remove-doubled-softmax"
TITLE = "Remove the softmax or sigmoid before a loss that applies it itself"
TESTS = ("double-softmax",)
SAFETY = "changes-result"
JUDGED_BY = "score"

TINY = 1e-12  # added to a probability, so that its logarithm is finite
ROUNDING = 1e-3
APPLIES = ("cross_entropy", "binary_cross_entropy_with_logits")


def doses(run: Run, signs: Signs, cause: str) -> Sequence[Dose] | Refusal:
    if not any(loss.fn in APPLIES for loss in run.training_losses):
        return Refusal("the training calls no loss that applies softmax or sigmoid itself")
    return [Dose({}, "the loss gets the scores before softmax or sigmoid")]


class _Undone(Intervening):
    def loss_inputs(self, name: str, args: Any, kwargs: Any) -> tuple[Any, Any]:
        given = args[0] if args else kwargs.get("input")
        scores = _scores(name, given)
        if scores is None:
            return args, kwargs
        self.acted += 1
        if args:
            return (scores, *args[1:]), kwargs
        return args, {**kwargs, "input": scores}


def _scores(name: str, given: Any) -> Any:
    """The scores that belong to these probabilities; None if `given` does not hold probabilities."""
    import torch

    if name not in APPLIES or not isinstance(given, torch.Tensor) or not given.is_floating_point():
        return None
    values = given.detach()
    if values.numel() == 0 or values.min() < 0 or values.max() > 1 + ROUNDING:
        return None
    if name == "binary_cross_entropy_with_logits":
        return torch.log(given + TINY) - torch.log1p(TINY - given)
    along = 1 if given.dim() > 1 else 0
    if (values.sum(dim=along) - 1).abs().max() > ROUNDING:
        return None
    return torch.log(given + TINY)


def begin(options: Mapping[str, Any]) -> Driver:
    return _Undone()
