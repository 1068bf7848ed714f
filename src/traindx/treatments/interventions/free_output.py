"""Removes the activation at the end of the model, so that its output can reach every target."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...observe.hook_points.hooks import Driver
from ...record import Run
from ...signs import Signs
from .._base import Dose, Intervening, Refusal
from ._arguments import floating
from ._functions import called_by_user, replace

ID = "free-output"
TITLE = "Remove the activation after the last layer"
TESTS = ("output-range-mismatch",)
SAFETY = "changes-result"
JUDGED_BY = "loss"

FUNCTIONS = ("sigmoid", "tanh", "relu", "softplus", "softmax", "hardtanh", "relu6", "softsign", "leaky_relu", "elu")


def doses(run: Run, signs: Signs, cause: str) -> Sequence[Dose] | Refusal:
    if not run.models:
        return Refusal("the network is not a module")
    made = {loss.made_by.lower() for loss in run.training_losses} & set(FUNCTIONS)
    # With one model, an activation between model and loss is also the last one; with several, it may be a hidden one.
    outside = sorted(made)[0] if made and len(run.models) == 1 else None
    return [Dose({"outside": outside}, "the model's output without its last activation")]


class _Freed(Intervening):
    """Watches the activation functions of torch, which modules call too. The input of the last call is the output
    without its activation."""

    def __init__(self, outside: str | None) -> None:
        super().__init__()
        import torch

        self._outside = outside
        self._last: tuple[Any, Any] | None = None
        self._inside = False
        self.note = "no activation makes the model's output"
        for name in FUNCTIONS:
            for owner in (torch, torch.nn.functional, torch.Tensor):
                if hasattr(owner, name):
                    self._watch(owner, name)

    def _watch(self, owner: Any, name: str) -> None:
        def activation(given: Any, *args: Any, **kwargs: Any) -> Any:
            if name == self._outside and not self._inside and floating(given) and called_by_user():
                self.acted += 1
                return given
            if kwargs.get("inplace") or (args and args[-1] is True):
                return old(given, *args, **kwargs)  # an in-place call destroys its input
            made = old(given, *args, **kwargs)
            if self._inside:
                self._last = (made, given)
            return made

        old = replace(owner, name, activation)

    def forward_inputs(self, root: Any, args: Any, kwargs: Any) -> tuple[Any, Any]:
        self._inside, self._last = True, None
        return args, kwargs

    def forward_output(self, root: Any, output: Any) -> Any:
        last, self._last, self._inside = self._last, None, False
        if last is None or not floating(output):
            return output
        made, given = last
        if output is made:
            self.acted += 1
            return given
        if output._is_view() and output._base is made and output.numel() == given.numel():  # sigmoid(x).squeeze(1)
            self.acted += 1
            return given.reshape(output.shape)
        return output


def begin(options: Mapping[str, Any]) -> Driver:
    return _Freed(options.get("outside"))
