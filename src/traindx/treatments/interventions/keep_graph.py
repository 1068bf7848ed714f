"""Ignores the script's detach(), .data and no_grad() in training forwards, so that gradients reach all layers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...observe.hook_points.hooks import Driver
from ...record import Run
from ...signs import Signs
from .._base import Dose, Intervening, Refusal
from ._functions import called_by_user, replace

ID = "keep-graph"
TITLE = "Keep the autograd graph from loss to weights intact"
TESTS = ("detached-graph",)
SAFETY = "changes-result"
JUDGED_BY = "loss"


def doses(run: Run, signs: Signs, cause: str) -> Sequence[Dose] | Refusal:
    if run.models:
        return [Dose({}, "detach(), .data and no_grad() inside the model ignored")]
    if not run.optimizers:
        return Refusal("without a module or an optimizer, it is unknown where a forward begins")
    return [Dose({"bare": True}, "detach() and .data between a step and the next backward ignored")]


class _Whole(Intervening):
    """Ignores only calls from the script's own code inside a model's forward, because torch and watchers need theirs.
    A `bare` network has no modules; its forward is everything between a step and the next backward."""

    def __init__(self, bare: bool) -> None:
        super().__init__()
        self._bare = bare
        import torch

        self._inside = False
        tensor = torch.Tensor
        self._detach = replace(tensor, "detach", self._kept)
        self._data = tensor.data
        tensor.data = property(self._get_data, self._data.__set__)
        self._no_grad = replace(torch.no_grad, "__enter__", self._entered)

    def forward_inputs(self, root: Any, args: Any, kwargs: Any) -> tuple[Any, Any]:
        import torch

        self._inside = torch.is_grad_enabled() and next(root.parameters(), None) is not None
        return args, kwargs

    def forward_output(self, root: Any, output: Any) -> Any:
        self._inside = False
        return output

    def after_step(self, optimizer: Any) -> None:
        self._inside = self._inside or self._bare

    def before_backward(self, loss: Any) -> None:
        self._inside = False

    def _kept(self, tensor: Any) -> Any:
        if self._inside and tensor.requires_grad and called_by_user():
            self.acted += 1
            return tensor
        return self._detach(tensor)

    def _get_data(self, tensor: Any) -> Any:
        attached = tensor.requires_grad if self._bare else tensor.grad_fn is not None
        if self._inside and attached and called_by_user(2):
            self.acted += 1
            return tensor
        return self._data.__get__(tensor)

    def _entered(self, context: Any) -> Any:
        import torch

        entered = self._no_grad(context)
        if self._inside and not self._bare and called_by_user():
            self.acted += 1
            torch.set_grad_enabled(True)
        return entered


def begin(options: Mapping[str, Any]) -> Driver:
    return _Whole(bool(options.get("bare")))
