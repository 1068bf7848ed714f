"""Adds the parameters that have a gradient and that no optimizer holds to the optimizer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...observe.hook_points.hooks import Driver
from ...record import Run
from ...signs import Signs
from .._base import Dose, Refusal
from ._parameters import Adding

ID = "add-parameters"
TITLE = "Add the missing parameters to the optimizer"
TESTS = ("params-not-in-optimizer",)
SAFETY = "changes-result"
JUDGED_BY = "loss"


def doses(run: Run, signs: Signs, cause: str) -> Sequence[Dose] | Refusal:
    if len(run.optimizers) != 1:
        return Refusal("there is not exactly one optimizer")
    if not float(run.optimizers[0].facts.get("steps") or 0):
        return Refusal("the optimizer is never stepped")
    return [Dose({}, "parameters outside the optimizer added to it")]


def begin(options: Mapping[str, Any]) -> Driver:
    return Adding()
