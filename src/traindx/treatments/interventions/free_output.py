"""Takes the activation away from the end of the model, so that its output can reach every target."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...observe.hook_points.hooks import Driver
from ...record import Run
from ...signs import Signs
from .._base import Dose, Intervening, Refusal
from ._arguments import floating, loss_pair, with_pair
from ._surgery import RECTIFIERS, SQUASHING, named, output_layers

ID = "free-output"
TITLE = "Remove the activation behind the last layer"
TESTS = ("output-range-mismatch",)
SAFETY = "changes-result"
JUDGED_BY = "loss"

ACTIVATIONS = (*SQUASHING, *RECTIFIERS, "Softplus", "Softmax", "LogSigmoid")


def doses(run: Run, signs: Signs, cause: str) -> Sequence[Dose] | Refusal:
    made = {loss.made_by.lower() for loss in run.training_losses}
    outputs = set(output_layers(run))
    last = [m.name for model in run.models for m in model.modules if m.name in outputs and m.type in ACTIVATIONS]
    if last:
        return [Dose({"names": last}, f"the model's output without its last activation (`{last[0]}`)")]
    if made & {"sigmoid", "tanh"}:
        return [Dose({"invert": True}, "the value in front of the last sigmoid or tanh given to the loss")]
    return Refusal("the last activation is no module and cannot be inverted")


class _Freed(Intervening):
    def __init__(self, options: Mapping[str, Any]) -> None:
        super().__init__()
        self._names = tuple(options.get("names", ()))
        self._invert = bool(options.get("invert"))

    def model_ready(self, root: Any) -> None:
        import torch

        for name, module in list(root.named_modules()):
            if name and named(name, self._names) and type(module).__name__ in ACTIVATIONS:
                parent, _, child = name.rpartition(".")
                setattr(root.get_submodule(parent), child, torch.nn.Identity())
                self.acted += 1

    def loss_inputs(self, name: str, args: Any, kwargs: Any) -> tuple[Any, Any]:
        given, target = loss_pair(args, kwargs)
        before = _in_front_of(given) if self._invert and floating(given) else None
        if before is None:
            return args, kwargs
        self.acted += 1
        return with_pair(args, kwargs, before, target)


def _in_front_of(given: Any) -> Any:
    import torch

    node = type(given.grad_fn).__name__ if given.grad_fn is not None else ""
    bounded = given.clamp(-1 + 1e-6, 1 - 1e-6)
    if node == "SigmoidBackward0":
        return torch.logit(given, eps=1e-6)
    return torch.atanh(bounded) if node == "TanhBackward0" else None


def begin(options: Mapping[str, Any]) -> Driver:
    return _Freed(options)
