"""Initialises biases to zero that start strongly negative and keep their units off."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...observe.hook_points.hooks import Driver
from ...record import Run
from ...record.values import number
from ...signs import Signs
from .._base import Dose, Intervening, Refusal
from ._surgery import named

ID = "zero-biases"
TITLE = "Initialise the biases to zero"
TESTS = ("dead-relus",)
SAFETY = "changes-result"
JUDGED_BY = "loss"

STRONG = -0.5  # biases with a lower mean are set to zero


def doses(run: Run, signs: Signs, cause: str) -> Sequence[Dose] | Refusal:
    biases = [param for param in run.entries("params") if param.get("kind") in ("bias", "norm") and param.get("name")]
    negative = [str(param["name"]) for param in biases if (number(param.get("init_mean")) or 0.0) < STRONG]
    if not negative:
        return Refusal("no bias starts strongly negative")
    return [Dose({"names": negative}, f"{', '.join(negative[:3])} start{'s' if len(negative) == 1 else ''} at zero")]


class _Zeroed(Intervening):
    def __init__(self, names: Sequence[str]) -> None:
        super().__init__()
        self._names = tuple(names)

    def model_ready(self, root: Any) -> None:
        import torch

        with torch.no_grad():
            for name, parameter in root.named_parameters():
                if named(name, self._names):
                    parameter.zero_()
                    self.acted += 1


def begin(options: Mapping[str, Any]) -> Driver:
    return _Zeroed(options["names"])
