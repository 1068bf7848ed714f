"""Replaces sigmoid and tanh in hidden layers by ReLU, after a layer norm or with He initialisation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...causes import Fix, rectified
from ...observe.hook_points.hooks import Driver
from ...record import Run
from ...signs import Signs
from .._base import Dose, Intervening, Refusal
from ._calls import SQUASHING_CALLS, HiddenCalls, calls_squashing
from ._surgery import SQUASHING, hidden_layers, initialise, normalised, output_layers, swapped, types_of

ID = "rectify"
TITLE = "Use ReLU instead of sigmoid or tanh in hidden layers"
TESTS = ("vanishing-gradients", "saturated-activations")
SAFETY = "changes-result"
JUDGED_BY = "loss"


def doses(run: Run, signs: Signs, cause: str) -> Sequence[Dose] | Refusal:
    keep = output_layers(run)
    if not run.models or not (set(types_of(run)) & set(SQUASHING) or calls_squashing(run)):
        return Refusal("the model has no sigmoid or tanh")
    return [
        Dose({"keep": keep, "normalise": True}, "ReLU after a layer norm instead of sigmoid and tanh"),
        Dose({"keep": keep, "initialise": True}, "ReLU with He initialisation instead of sigmoid and tanh"),
    ]


def fix(run: Run, signs: Signs, cause: str, dose: Dose) -> Fix | None:
    return rectified(run) if dose.options.get("initialise") else None


class _Rectified(Intervening):
    """Replaces modules before the first forward, and function calls from the second forward on."""

    def __init__(self, options: Mapping[str, Any]) -> None:
        super().__init__()
        import torch

        self._options = options
        self._swapped = 0
        self._calls = HiddenCalls(SQUASHING_CALLS, torch.relu)

    def forward_inputs(self, root: Any, args: Any, kwargs: Any) -> tuple[Any, Any]:
        self._calls.begin(root)
        return args, kwargs

    def forward_output(self, root: Any, output: Any) -> Any:
        self._calls.end(output)
        self.acted = self._swapped + self._calls.count
        return output

    def model_ready(self, root: Any) -> None:
        import torch

        keep = self._options["keep"]
        self._swapped += swapped(root, SQUASHING, keep, lambda _: torch.nn.ReLU())
        if self._options.get("normalise"):
            for layer in hidden_layers(root, keep):
                layer.register_forward_hook(lambda _module, _given, output: normalised(output))
        if self._options.get("initialise"):
            initialise(root, 2**0.5)


def begin(options: Mapping[str, Any]) -> Driver:
    return _Rectified(options)
