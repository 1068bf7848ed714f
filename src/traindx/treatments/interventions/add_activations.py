"""Puts ReLU after linear layers that are directly followed by another linear layer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...observe.hook_points.hooks import Driver
from ...record import Run
from ...signs import Signs
from .._base import Dose, Intervening, Refusal
from ._surgery import WEIGHTED, hidden_layers, output_layers, types_of

ID = "add-activations"
TITLE = "Put ReLU between linear layers"
TESTS = ("no-nonlinearity",)
SAFETY = "changes-result"
JUDGED_BY = "loss"


def doses(run: Run, signs: Signs, cause: str) -> Sequence[Dose] | Refusal:
    if sum(kind in WEIGHTED for kind in types_of(run)) < 2:
        return Refusal("the linear layers are not modules")
    return [Dose({"keep": output_layers(run)}, "ReLU after every hidden linear layer")]


class _Activated(Intervening):
    def __init__(self, keep: Sequence[str]) -> None:
        super().__init__()
        self._keep = tuple(keep)

    def model_ready(self, root: Any) -> None:
        for layer in hidden_layers(root, self._keep):
            layer.register_forward_hook(lambda _module, _given, output: output.relu())
            self.acted += 1


def begin(options: Mapping[str, Any]) -> Driver:
    return _Activated(options["keep"])
