"""The first loss against what an untrained model should get: a uniform guess, or zero for a regression."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ..record import Run
from ..record.losses import LossCall
from ..record.values import number
from ._tables import ordered

# Later points are no longer the untrained model's.
LAST_STEP = 2


@dataclass(frozen=True)
class FirstLoss:
    loss: float
    chance: float
    words: str  # how the chance level follows
    call: LossCall
    room: float  # by what factor healthy initialisations exceed chance

    @property
    def ratio(self) -> float:
        return self.loss / self.chance


def _chance(run: Run, call: LossCall) -> tuple[float, str, float] | None:
    """(level, words, room). Room is larger for regressions, where the untrained output has a size of its own."""
    sizes = call.input.shape or ()
    if call.kind in ("cross-entropy", "nll") and len(sizes) >= 2 and sizes[1] >= 2:
        return math.log(sizes[1]), f"ln({sizes[1]})", 1.5
    if call.kind in ("bce", "bce-logits"):
        return math.log(2.0), "ln(2)", 1.5
    targets = run.fact("targets/train")
    mean, spread = number(targets.get("mean")), number(targets.get("std"))
    if call.kind in ("squared", "absolute") and mean is not None and spread is not None:
        root = math.hypot(mean, spread)
        return (root * root if call.kind == "squared" else root), "the targets' own size", 3.0
    return None


def first_loss(run: Run) -> FirstLoss | None:
    """None where the loss function, its reduction or its first value is not known, or several losses are mixed."""
    calls = [call for call in run.training_losses if call.kind]
    if len(calls) != 1 or calls[0].reduction not in ("mean", "sum", ""):
        return None
    call = calls[0]
    name = "loss/function" if run.series("loss/function") else "loss/train"
    points = ordered(run.series(name))
    expected = _chance(run, call)
    if not points or points.steps[0] > LAST_STEP or expected is None or not expected[0] > 0:
        return None
    loss = float(points.values[0])
    if call.reduction == "sum":
        # The recorded shape may be of the last, smaller batch: the series knows the first batch's rows.
        rows = ordered(run.series("batch_size")).values[:1]
        sizes = call.input.shape or (0,)
        terms = float(rows[0] if len(rows) else sizes[0])
        terms *= math.prod(sizes[2:] if call.kind in ("cross-entropy", "nll") else sizes[1:])
        if terms <= 0:
            return None
        loss /= terms
    return FirstLoss(loss, expected[0], expected[1], call, expected[2])
