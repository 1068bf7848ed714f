"""The first loss against what an untrained model should get: above chance, at chance."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ...record import Run
from ...record.losses import REGRESSION, LossCall
from ...record.values import number
from ...wording import num
from .. import checks, questions
from .._base import Missing, Sign, SignUnit, if_raised, place, ramp
from .._tables import ordered

ABOVE, AT = "first-loss-above-chance", "first-loss-at-chance"
# Later points are no longer the untrained model's.
LAST_STEP = 2


def above(run: Run) -> Sign | Missing:
    """The first loss over the loss of an untrained guess: ln(classes), or the targets' own size in a regression.

    Ordinary initialisations start within 1.5 times chance (3 times in a regression). More means outputs far out of
    range before any training.
    """
    found = _first_loss(run)
    if found is None:
        return Missing(ABOVE, "the first loss or its chance level is not known")
    level = ramp(found.ratio, found.room, 4 * found.room, log=True)
    return Sign(
        ABOVE,
        found.ratio,
        level,
        f"the first loss is {num(found.loss)}, {num(found.ratio)} times what an untrained model should get "
        f"({found.words} = {num(found.chance)}){place(found.call.site)}",
        onset=0 if level >= 0.5 else None,
        severity=if_raised(level, "warning"),
        values={"first": found.loss, "chance": found.chance},
    )


def at(run: Run) -> Sign | Missing:
    """Whether the first loss is that of an untrained guess, as it should be: 1 within a tenth, 0 beyond half as much
    again.

    This one speaks for a run. Only classification has an exact level; the untrained output of a regression has a size
    of its own.
    """
    found = _first_loss(run)
    if found is None or found.call.kind in REGRESSION:
        return Missing(AT, "the first loss of a classification is not known")
    level = ramp(abs(math.log(found.ratio)), math.log(1.5), math.log(1.1)) if found.ratio > 0 else 0.0
    return Sign(
        AT,
        found.ratio,
        level,
        f"the first loss is {num(found.loss)} (chance is {found.words} = {num(found.chance)})",
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
    targets = run.fact("targets/train")
    mean, spread = number(targets.get("mean")), number(targets.get("std"))
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
    return _FirstLoss(loss, expected[0], expected[1], call, expected[2])


SIGNS = (
    SignUnit(ABOVE, above, questions.START, "dynamics", core=True, check=checks.FIRST_LOSS),
    SignUnit(AT, at, questions.START, "dynamics"),
)
