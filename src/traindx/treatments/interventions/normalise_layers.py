"""Normalises the output of each hidden layer, without new parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...observe.hook_points.hooks import Driver
from ...record import Run
from ...signs import Signs
from .._base import Dose, Intervening, Refusal
from ._surgery import WEIGHTED, hidden_layers, normalised, output_layers, types_of

ID = "normalise-layers"
TITLE = "Normalise the outputs of hidden layers"
TESTS = ("vanishing-gradients", "exploding-gradients", "saturated-activations")
SAFETY = "changes-result"
JUDGED_BY = "loss"
DECISIVE = 0.7  # it helps against badly scaled weights and inputs, too


def doses(run: Run, signs: Signs, cause: str) -> Sequence[Dose] | Refusal:
    if sum(kind in WEIGHTED for kind in types_of(run)) < 2:
        return Refusal("the model has no hidden layer that is a module")
    return [Dose({"keep": output_layers(run)}, "layer norm after every hidden layer")]


class _Normalised(Intervening):
    def __init__(self, keep: Sequence[str]) -> None:
        super().__init__()
        self._keep = tuple(keep)

    def model_ready(self, root: Any) -> None:
        for layer in hidden_layers(root, self._keep):
            layer.register_forward_hook(lambda _module, _given, output: normalised(output))
            self.acted += 1


def begin(options: Mapping[str, Any]) -> Driver:
    return _Normalised(options["keep"])
