"""Unfreezes layers that were frozen without being trained, and adds them to the optimizer.

Weights from a checkpoint are frozen on purpose and stay frozen.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...observe.hook_points.hooks import Driver
from ...record import Run
from ...signs import Signs
from .._base import Dose, Refusal
from ._parameters import Adding
from ._surgery import named

ID = "unfreeze"
TITLE = "Unfreeze the layers that were never trained"
TESTS = ("frozen-layers",)
SAFETY = "changes-result"
JUDGED_BY = "loss"


def doses(run: Run, signs: Signs, cause: str) -> Sequence[Dose] | Refusal:
    frozen = [
        str(param["name"]) for param in run.entries("params")
        if param.get("requires_grad") is False and param.get("loaded") is not True and param.get("name")
    ]  # fmt: skip
    if not frozen:
        return Refusal("every frozen layer was loaded from a checkpoint")
    shown = f"{len(frozen)} tensors" if len(frozen) > 3 else ", ".join(frozen)
    return [Dose({"names": frozen}, f"requires_grad=True for {shown}")]


class _Unfrozen(Adding):
    def __init__(self, names: Sequence[str]) -> None:
        super().__init__()
        self._names = tuple(names)

    def model_ready(self, root: Any) -> None:
        super().model_ready(root)
        for name, parameter in root.named_parameters():
            if named(name, self._names) and not parameter.requires_grad and parameter.is_floating_point():
                parameter.requires_grad_(True)
                self.acted += 1


def begin(options: Mapping[str, Any]) -> Driver:
    return _Unfrozen(options["names"])
