"""Replaces batch norm by group norm with the same parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...observe.hook_points.hooks import Driver
from ...record import Run
from ...signs import Signs
from .._base import Dose, Intervening, Refusal
from ._surgery import swapped, types_of

ID = "group-norm"
TITLE = "Use GroupNorm instead of BatchNorm"
TESTS = ("batchnorm-tiny-batch",)
SAFETY = "changes-result"
JUDGED_BY = "validation"

BATCH_NORMS = ("BatchNorm1d", "BatchNorm2d", "BatchNorm3d")
MOST_GROUPS = 8


def doses(run: Run, signs: Signs, cause: str) -> Sequence[Dose] | Refusal:
    if not set(types_of(run)) & set(BATCH_NORMS):
        return Refusal("no batch norm is a module of the model")
    return [Dose({}, "GroupNorm instead of BatchNorm")]


class _Grouped(Intervening):
    def model_ready(self, root: Any) -> None:
        self.acted += swapped(root, BATCH_NORMS, (), _grouped)


def _grouped(old: Any) -> Any:
    import torch

    groups = next(n for n in range(min(MOST_GROUPS, old.num_features), 0, -1) if old.num_features % n == 0)
    new = torch.nn.GroupNorm(groups, old.num_features, eps=old.eps, affine=old.affine)
    if old.affine:
        new.weight, new.bias = old.weight, old.bias  # the optimizer holds these
    return new


def begin(options: Mapping[str, Any]) -> Driver:
    return _Grouped()
