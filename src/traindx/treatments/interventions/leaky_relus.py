"""Replaces ReLU by LeakyReLU, in modules and function calls, so that no unit can die."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...observe.hook_points.hooks import Driver
from ...record import Run
from ...signs import Signs
from .._base import Dose, Intervening, Refusal
from ._arguments import floating
from ._calls import DEPTH
from ._functions import called_by_user, replace

ID = "leaky-relus"
TITLE = "Use LeakyReLU instead of ReLU"
TESTS = ("dead-relus",)
SAFETY = "changes-result"
JUDGED_BY = "loss"
DECISIVE = 0.9  # below `zero-biases`, which is more specific if negative biases silence the units

SLOPE = 0.01


def doses(run: Run, signs: Signs, cause: str) -> Sequence[Dose] | Refusal:
    return [Dose({"slope": SLOPE}, f"LeakyReLU({SLOPE}) instead of ReLU")]


class _Leaky(Intervening):
    """Replaces the functions, which modules call too. In the script's own code, `x.clamp(min=0)` is also a ReLU."""

    def __init__(self, slope: float) -> None:
        super().__init__()
        self._slope = slope
        import torch

        replace(torch.nn.functional, "relu", self._relu)
        replace(torch, "relu", self._relu)
        replace(torch.Tensor, "relu", self._relu)
        for owner in (torch, torch.Tensor):
            for name in ("clamp", "clamp_min", "clip"):
                self._exchange_clamp(owner, name)

    def _exchange_clamp(self, owner: Any, name: str) -> None:
        def clamped(given: Any, *args: Any, **kwargs: Any) -> Any:
            low = args[0] if args else kwargs.get("min")
            high = args[1] if len(args) > 1 else kwargs.get("max")
            rectifies = isinstance(low, (int, float)) and low == 0 and high is None
            if rectifies and floating(given) and given.requires_grad and called_by_user(DEPTH):
                return self._relu(given)
            return old(given, *args, **kwargs)

        old = replace(owner, name, clamped)

    def _relu(self, given: Any, inplace: bool = False) -> Any:
        import torch

        self.acted += 1
        return torch.nn.functional.leaky_relu(given, self._slope)


def begin(options: Mapping[str, Any]) -> Driver:
    return _Leaky(float(options["slope"]))
