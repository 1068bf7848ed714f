"""Puts LeakyReLU in the place of ReLU, as module and as function, so that no unit can die."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...observe.hook_points.hooks import Driver
from ...record import Run
from ...signs import Signs
from .._base import Dose, Intervening, Refusal
from ._functions import replace

ID = "leaky-relus"
TITLE = "Use LeakyReLU instead of ReLU"
TESTS = ("dead-relus",)
SAFETY = "changes-result"
JUDGED_BY = "loss"
DECISIVE = 0.9  # behind biases at zero, where these are what silences the units

SLOPE = 0.01


def doses(run: Run, signs: Signs, cause: str) -> Sequence[Dose] | Refusal:
    if not run.models:
        return Refusal("the network is not a module")
    return [Dose({"slope": SLOPE}, f"LeakyReLU({SLOPE}) instead of ReLU")]


class _Leaky(Intervening):
    """Modules call the function, so exchanging the functions is enough."""

    def __init__(self, slope: float) -> None:
        super().__init__()
        self._slope = slope
        import torch

        replace(torch.nn.functional, "relu", self._relu)
        replace(torch, "relu", self._relu)
        replace(torch.Tensor, "relu", self._relu)

    def _relu(self, given: Any, inplace: bool = False) -> Any:
        import torch

        self.acted += 1
        return torch.nn.functional.leaky_relu(given, self._slope)


def begin(options: Mapping[str, Any]) -> Driver:
    return _Leaky(float(options["slope"]))
