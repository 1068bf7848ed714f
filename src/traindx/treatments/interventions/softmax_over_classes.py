"""Applies softmax over the classes where the script applies it over the batch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...observe.hook_points.hooks import Driver
from ...record import Run
from ...record.values import entries, number
from ...signs import Signs
from .._base import Dose, Intervening, Refusal
from ._functions import replace

ID = "softmax-over-classes"
TITLE = "Apply softmax over the classes"
TESTS = ("softmax-wrong-axis",)
SAFETY = "changes-result"
JUDGED_BY = "score"

NAMES = ("softmax", "log_softmax")


def doses(run: Run, signs: Signs, cause: str) -> Sequence[Dose] | Refusal:
    found = [entry for entry in entries(run.fact("graph").get("softmaxes")) if isinstance(entry.get("shape"), list)]
    wrong = [entry for entry in found if len(entry["shape"]) > 1 and number(entry.get("dim")) == 0]
    if not wrong:
        return Refusal("no softmax over the first axis was seen")
    sizes = wrong[0]["shape"]
    to = 1 if len(sizes) >= 4 and sizes[1] < sizes[2] else -1
    return [Dose({"to": to}, f"softmax over dim={to} instead of dim=0")]


class _Along(Intervening):
    def __init__(self, to: int) -> None:
        super().__init__()
        import torch

        self._to = to
        for name in NAMES:
            for owner in (torch, torch.nn.functional, torch.Tensor):
                self._exchange(owner, name)

    def _exchange(self, owner: Any, name: str) -> None:
        def softmax(given: Any, *args: Any, **kwargs: Any) -> Any:
            dim = kwargs.get("dim", args[0] if args else None)
            if given.dim() > 1 and dim in (0, -given.dim()):
                self.acted += 1
                if "dim" in kwargs:
                    kwargs = {**kwargs, "dim": self._to}
                else:
                    args = (self._to, *args[1:])
            return old(given, *args, **kwargs)

        old = replace(owner, name, softmax)


def begin(options: Mapping[str, Any]) -> Driver:
    return _Along(int(options["to"]))
