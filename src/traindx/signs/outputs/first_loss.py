"""The first loss against that of an untrained model."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ...record import Run
from ...record.program import LossCall
from ...wording import num
from .. import checks, questions
from .._base import Measured, place, ramp, sign
from .._tables import ordered

# Later points are no longer the untrained model's.
LAST_STEP = 2


@sign("first-loss-above-chance", questions.START, "dynamics", from_start=True, core=True, check=checks.FIRST_LOSS)
def first_loss_above_chance(run: Run) -> Measured | str:
    """The first loss over the loss of an untrained guess: ln(classes), or the targets' own size in a regression.

    Ordinary initialisations start within 1.5 times chance (3 times in a regression). More means outputs far out of
    range before any training.
    """
    found = _first_loss(run)
    if found is None:
        return "the first loss or its chance level is not known"
    level = ramp(found.ratio, found.room, 4 * found.room, log=True)
    return Measured(
        found.ratio,
        f"the first loss is {num(found.loss)}, {num(found.ratio)} times what an untrained model should get "
        f"({found.words} = {num(found.chance)}){place(found.call.site)}",
        level,
        values={"first": found.loss, "chance": found.chance},
    )


@dataclass(frozen=True)
class _FirstLoss:
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
    targets = run.training_targets
    mean, spread = targets.mean, targets.std
    if call.kind in ("squared", "absolute") and mean is not None and spread is not None:
        root = math.hypot(mean, spread)
        squared = call.kind == "squared"
        return (root * root if squared else root), "the targets' mean square" if squared else "the targets' RMS", 3.0
    return None


def _first_loss(run: Run) -> _FirstLoss | None:
    """None where the loss function, its reduction or its first value is not known, or several losses are mixed."""
    calls = [call for call in run.training_losses if call.kind]
    if len(calls) != 1 or calls[0].reduction not in ("mean", "sum", ""):
        return None
    call = calls[0]
    name = next((n for n in ("loss/term", "loss/function") if run.series(n)), "loss/train")
    points = ordered(run.series(name))
    expected = _chance(run, call)
    if not points or points.steps[0] > LAST_STEP or expected is None or not expected[0] > 0:
        return None
    loss = float(points.values[0])
    if call.reduction == "sum" and name != "loss/term":
        # The recorded shape may be of the last, smaller batch: the series knows the first batch's rows.
        rows = ordered(run.series("batch_size")).values[:1]
        sizes = call.input.shape or (0,)
        terms = float(rows[0] if len(rows) else sizes[0])
        terms *= math.prod(sizes[2:] if call.kind in ("cross-entropy", "nll") else sizes[1:])
        if terms <= 0:
            return None
        loss /= terms
    return _FirstLoss(loss, expected[0], expected[1], call, expected[2])
