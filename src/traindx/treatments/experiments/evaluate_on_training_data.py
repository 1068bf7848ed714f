"""Evaluates on training batches: if this closes the gap to the training loss, the gap comes from the validation data.

If the gap stays, the evaluation itself differs from training: modes, preprocessing in the model, or a different loss.
"""

from __future__ import annotations

import weakref
from collections.abc import Mapping, Sequence
from typing import Any

from ...observe.hook_points.hooks import Driver
from ...record import Run
from ...signs import Signs
from .._base import Dose, Intervening, Refusal, Told
from ._levels import final

ID = "evaluate-on-training-data"
TITLE = "Evaluate on training batches"
TESTS = ("train-val-mismatch",)

KEPT = 16  # training batches that replace validation batches in turn
GAP = 0.25  # share of the training loss: a smaller gap does not count
CLOSED, OPEN = 0.3, 0.7  # the gap counts as closed or as open if this share of it remains


def arms(run: Run, signs: Signs, cause: str) -> Sequence[Dose] | Refusal:
    roles = {loader.role for loader in run.loaders}
    if not {"train", "eval"} <= roles:
        return Refusal("training and evaluation do not have separate loaders")
    if not run.series("loss/validation"):
        return Refusal("no validation loss was seen")
    return [Dose({}, "validation batches replaced by training batches")]


class _Exchanged(Intervening):
    def __init__(self) -> None:
        super().__init__()
        from ...probes.acting.roles import Roles

        self._roles = Roles()
        self._batches: list[Any] = []
        self._last: tuple[weakref.ref[Any], Any] | None = None
        self._turn = 0

    def batch(self, loader: Any, batch: Any) -> Any:
        from ...probes.acting.copies import copied

        if loader is None:
            return batch
        if loader in self._roles.training or not self._batches:
            self._roles.delivered(loader)
            self._last = (weakref.ref(loader), copied(batch) if len(self._batches) < KEPT else None)
            return batch
        self._turn += 1
        self.acted += 1
        return copied(self._batches[self._turn % len(self._batches)])

    def forward_inputs(self, root: Any, args: Any, kwargs: Any) -> tuple[Any, Any]:
        self._roles.forward(root)
        return args, kwargs

    def before_backward(self, loss: Any) -> None:
        self._roles.backward()
        if self._last is not None and self._last[0]() in self._roles.training and self._last[1] is not None:
            self._batches.append(self._last[1])
        self._last = None


def begin(options: Mapping[str, Any]) -> Driver:
    return _Exchanged()


def tells(control: Run, arms: Sequence[Run]) -> Told:
    train, own, other = final(control), final(control, "loss/validation"), final(arms[0], "loss/validation")
    if train is None or own is None or other is None or not arms[0].fact("probe").get("acted"):
        return Told("nothing", "no validation loss could be compared")
    before, after = own[0] - train[0], other[0] - train[0]
    levels = f"validation loss {own[0]:.3g}, {other[0]:.3g} on training batches, training loss {train[0]:.3g}"
    if before < GAP * abs(train[0]):
        return Told("against", f"validation is no worse than training: {levels}", 0.1)
    if after < CLOSED * before:
        return Told("for", f"the gap comes from the validation data: {levels}", 4.0)
    if after > OPEN * before:
        return Told("against", f"the gap stays on training data, so the evaluation itself differs: {levels}", 0.1)
    return Told("nothing", f"part of the gap comes from the validation data: {levels}")
