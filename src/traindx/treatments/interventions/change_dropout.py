"""Weakens or strengthens dropout, in modules and in calls of the function."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...causes import all_causes
from ...observe.hook_points.hooks import Driver
from ...record import Run
from ...signs import Signs
from ...wording import num
from .._base import Dose, Intervening, Refusal
from ._functions import replace
from ._numbers import numbers

ID = "change-dropout"
TITLE = "Change dropout"
TESTS = ("over-regularized", "overfitting")
SAFETY = "changes-result"
JUDGED_BY = "validation"

MORE = 0.5


def doses(run: Run, signs: Signs, cause: str) -> Sequence[Dose] | Refusal:
    found = run.facts.get("dropout")
    used = [p for p in numbers(found) if p > 0]
    if not used:
        return Refusal("the model has no dropout")
    if cause == "overfitting":
        if max(used) >= MORE:
            return Refusal("dropout is already strong")
        return [Dose({"p": MORE}, f"dropout {num(max(used))} -> {MORE}")]
    wanted = all_causes()[cause].fix(run, signs).sets.get("p", 0.0)
    return [Dose({"p": p, "above": p}, f"dropout {num(max(used))} -> {num(p)}") for p in dict.fromkeys((wanted, 0.0))]


class _Changed(Intervening):
    """Changes the probability of dropout modules and the argument of calls, if it is above `above`."""

    def __init__(self, p: float, above: float) -> None:
        super().__init__()
        self._p, self._above = p, above
        import torch

        self._old = replace(torch.nn.functional, "dropout", self._dropout)

    def model_ready(self, root: Any) -> None:
        for module in root.modules():
            if "Dropout" in type(module).__name__ and self._above < getattr(module, "p", 0.0) != self._p:
                module.p = self._p
                self.acted += 1

    def _dropout(self, given: Any, p: float = 0.5, training: bool = True, inplace: bool = False) -> Any:
        if training and p > self._above and p != self._p:
            self.acted += 1
            p = self._p
        return self._old(given, p, training, inplace)


def begin(options: Mapping[str, Any]) -> Driver:
    return _Changed(float(options["p"]), float(options.get("above", 0.0)))
