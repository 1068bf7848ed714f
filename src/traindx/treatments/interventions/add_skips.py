"""Adds the input of a hidden layer to its output wherever the two have the same shape."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...observe.hook_points.hooks import Driver
from ...record import Run
from ...signs import Signs
from .._base import Dose, Intervening, Refusal
from ._surgery import WEIGHTED, hidden_layers, output_layers, types_of

ID = "add-skips"
TITLE = "Add skip connections around layers that keep the shape"
TESTS = ("vanishing-gradients",)
SAFETY = "changes-result"
JUDGED_BY = "loss"
DECISIVE = 0.8  # below `rectify`, because the fix is ReLU with normalisation


def doses(run: Run, signs: Signs, cause: str) -> Sequence[Dose] | Refusal:
    if sum(kind in WEIGHTED for kind in types_of(run)) < 3:
        return Refusal("the model has fewer than two hidden layers that are modules")
    return [Dose({"keep": output_layers(run)}, "x + layer(x) wherever the shapes agree")]


class _Skipping(Intervening):
    def __init__(self, keep: Sequence[str]) -> None:
        super().__init__()
        self._keep = tuple(keep)

    def model_ready(self, root: Any) -> None:
        for layer in hidden_layers(root, self._keep):
            layer.register_forward_hook(self._added)

    def _added(self, module: Any, given: Any, output: Any) -> Any:
        if not given or given[0].shape != output.shape:
            return output
        self.acted += 1
        return output + given[0]


def begin(options: Mapping[str, Any]) -> Driver:
    return _Skipping(options["keep"])
