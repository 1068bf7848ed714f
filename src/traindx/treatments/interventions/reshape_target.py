"""Reshapes the target to the shape of the output, if the two would otherwise broadcast.

The target of a loss written by hand cannot be reached: there the output is reshaped instead.
"""

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
JUDGED_BY = "loss"

ELEMENTWISE = (*REGRESSION, "binary_cross_entropy", "binary_cross_entropy_with_logits", "gaussian_nll_loss")


def doses(run: Run, signs: Signs, cause: str) -> Sequence[Dose] | Refusal:
    if any(loss.fn in ELEMENTWISE for loss in run.training_losses):
        return [Dose({}, "target reshaped like the output")]
    if len(run.models) == 1 and run.fact("graph").get("broadcasts"):
        return [Dose({"output": True}, "output reshaped like the target")]
    return Refusal("the loss is computed by hand, and it is unknown what broadcasts in it")


class _Reshaped(Intervening):
    def __init__(self, output: bool) -> None:
        super().__init__()
        self._output = output

    def forward_output(self, root: Any, output: Any) -> Any:
        import torch

        # Only in training: the evaluation may have the right shapes, and reshaping would break it.
        single = torch.is_grad_enabled() and floating(output) and (output.dim() == 1 or output.shape[-1:] == (1,))
        if not self._output or not single or next(root.parameters(), None) is None:
            return output
        self.acted += 1
        return output.unsqueeze(-1) if output.dim() == 1 else output.squeeze(-1)

    def loss_inputs(self, name: str, args: Any, kwargs: Any) -> tuple[Any, Any]:
        given, target = loss_pair(args, kwargs)
        if self._output or name not in ELEMENTWISE or not floating(given) or not hasattr(target, "shape"):
            return args, kwargs
        if given.shape == target.shape or given.numel() != target.numel():
            return args, kwargs
        self.acted += 1
        return with_pair(args, kwargs, given, target.reshape(given.shape))


def begin(options: Mapping[str, Any]) -> Driver:
    return _Reshaped(bool(options.get("output")))
