"""Turns off autocast, and converts half-precision models to float32."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...observe.hook_points.hooks import Driver
from ...record import Run
from ...signs import Signs
from .._base import Dose, Intervening, Refusal

ID = "run-in-float32"
TITLE = "Train in float32"
TESTS = ("low-precision",)
SAFETY = "costly"
JUDGED_BY = "loss"
COST = 1.5


def doses(run: Run, signs: Signs, cause: str) -> Sequence[Dose] | Refusal:
    precision = run.fact("precision")
    dtypes = precision.get("param_dtypes")
    names = [*(dtypes if isinstance(dtypes, Mapping) else ()), *(precision.get("activations") or ())]
    if not precision.get("autocast") and not any("16" in str(name) for name in names):
        return Refusal("nothing runs in half precision")
    return [Dose({}, "float32 instead of half precision")]


class _Full(Intervening):
    def autocast(self, settings: dict[str, Any]) -> dict[str, Any]:
        if settings.get("enabled", True):
            self.acted += 1
        return {**settings, "enabled": False}

    def model_ready(self, root: Any) -> None:
        import torch

        halves = [p for p in root.parameters() if p.dtype in (torch.float16, torch.bfloat16)]
        if halves:
            root.float()  # the parameters stay the same objects, so the optimizer still holds them
            self.acted += 1

    def forward_inputs(self, root: Any, args: Any, kwargs: Any) -> tuple[Any, Any]:
        return self._widened(args), self._widened(kwargs)

    def loss_inputs(self, name: str, args: Any, kwargs: Any) -> tuple[Any, Any]:
        return self._widened(args), self._widened(kwargs)

    def _widened(self, value: Any) -> Any:
        import torch
        from torch.utils import _pytree as pytree

        def wide(leaf: Any) -> Any:
            half = isinstance(leaf, torch.Tensor) and leaf.dtype in (torch.float16, torch.bfloat16)
            return leaf.float() if half else leaf

        return pytree.tree_map(wide, value)


def begin(options: Mapping[str, Any]) -> Driver:
    return _Full()
