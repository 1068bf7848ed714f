"""Trains on one batch again and again: a model that cannot memorise one batch cannot fit the training set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...observe.hook_points.hooks import Driver
from ...record import Run
from ...signs import Signs
from .._base import Dose, Refusal, Told
from ._levels import final

ID = "memorise-batch"
TITLE = "Train on one batch again and again"
TESTS = ("model-too-small",)

LEARNT = 0.2  # share of the first loss: below it, the batch is memorised
STUCK = 0.8  # share of the control's last loss: above it, one batch is no easier than all of them


def arms(run: Run, signs: Signs, cause: str) -> Sequence[Dose] | Refusal:
    if not run.series("loss/train"):
        return Refusal("no training loss was seen")
    return [Dose({}, "the same batch at every step")]


def begin(options: Mapping[str, Any]) -> Driver:
    from ...probes.acting.pinning import Pinned

    class One(Pinned):
        def findings(self) -> dict[str, Any]:
            found = super().findings()
            by = found["pinned"]
            return {"acted": int(by is not None), "pinned": by, "note": found["not_pinned"] or ""}

    return One(10**9, 1e9)  # no limits here: the arm's own length ends the run


def tells(control: Run, arms: Sequence[Run]) -> Told:
    if arms[0].fact("probe").get("pinned") is None:
        return Told("nothing", "the batch could not be repeated")
    own, one = final(control), final(arms[0])
    first = arms[0].series("loss/train").finite.values
    if own is None or one is None or not len(first):
        return Told("nothing", "no loss could be compared")
    levels = f"loss {one[0]:.3g} on one batch repeated, {own[0]:.3g} on all batches"
    if one[0] < LEARNT * abs(float(first[0])):
        return Told("against", f"one batch can be memorised: {levels}", 0.5)
    if one[0] > STUCK * own[0] and own[0] > 0:
        return Told("for", f"not even one batch can be memorised: {levels}", 4.0)
    return Told("nothing", f"one batch is fitted better than all, but not memorised: {levels}")
