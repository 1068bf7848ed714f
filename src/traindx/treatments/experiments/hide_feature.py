"""Hides the input column that determines the target: if the model then fails, it relied on that column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...observe.hook_points.hooks import Driver
from ...record import Run
from ...record.values import number
from ...signs import Signs
from .._base import Dose, Intervening, Refusal, Told
from ._levels import final

ID = "hide-feature"
TITLE = "Hide the input column that determines the target"
TESTS = ("target-leakage",)

MUCH = 3.0  # a loss above this many times the control's shows that the model relied on the column
LITTLE = 1.2  # a loss below this many times the control's shows that it did not
RELIES = 1.5  # likelihood ratio of a leak if the model relies on the column: models rely on good features too


def arms(run: Run, signs: Signs, cause: str) -> Sequence[Dose] | Refusal:
    column = number(run.fact("feature_leak").get("feature"))
    if column is None:
        return Refusal("no input column is known to determine the target")
    return [Dose({"column": int(column)}, f"input column {int(column)} set to zero")]


class _Hidden(Intervening):
    def __init__(self, column: int) -> None:
        super().__init__()
        self._column = column

    def forward_inputs(self, root: Any, args: Any, kwargs: Any) -> tuple[Any, Any]:
        import torch

        given: Any = args[0] if args else None
        plain = (
            next(root.parameters(), None) is not None
            and isinstance(given, torch.Tensor)
            and given.is_floating_point()
            and given.dim() >= 2
        )
        if not plain or given.flatten(1).shape[1] <= self._column:
            return args, kwargs
        hidden = given.clone()
        hidden.flatten(1)[:, self._column] = 0.0
        self.acted += 1
        return (hidden, *args[1:]), kwargs


def begin(options: Mapping[str, Any]) -> Driver:
    return _Hidden(int(options["column"]))


def tells(control: Run, arms: Sequence[Run]) -> Told:
    own, without = final(control), final(arms[0])
    if own is None or without is None or own[0] <= 0 or not arms[0].fact("probe").get("acted"):
        return Told("nothing", "no loss could be compared")
    levels = f"loss {own[0]:.3g} with that column, {without[0]:.3g} without it"
    if without[0] > MUCH * own[0]:
        # A legitimate, very good feature looks the same. Only the user knows whether it is known at prediction time.
        return Told("for", f"the model relies on one input column: {levels}", RELIES)
    if without[0] < LITTLE * own[0]:
        return Told("against", f"the model does as well without that column: {levels}", 0.1)
    return Told("nothing", f"the column helps, and other inputs do too: {levels}")
