"""Gives plain SGD momentum."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...observe.hook_points.hooks import Driver
from ...record import Run
from ...signs import Signs
from .._base import Dose, Refusal
from ._groups import GroupSettings

ID = "add-momentum"
TITLE = "Give SGD momentum"
TESTS = ("no-momentum",)
SAFETY = "changes-result"
JUDGED_BY = "loss"

MOMENTUM = 0.9


def doses(run: Run, signs: Signs, cause: str) -> Sequence[Dose] | Refusal:
    if not any(group.setting("momentum") == 0 for group in run.groups):
        return Refusal("no optimizer runs without momentum")
    return [Dose({"momentum": MOMENTUM}, f"momentum 0 -> {MOMENTUM}")]


def begin(options: Mapping[str, Any]) -> Driver:
    return GroupSettings({"momentum": float(options["momentum"])})
