"""Tests whether the user's loop can overfit one batch, at its own learning rate or a multiple of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ..record import Run
from ..record.types import FloatArray
from ..wording import num
from .launch import Plan, ProbeError, Script, Start, Trial, launch

Result = Literal["learnt", "falling", "stuck", "constant", "not finite", "unknown"]

STEPS = 200
SECONDS = 12.0
LEARNT = 0.1  # the share of the way from trivial loss to floor that may remain: dropout and rounding never vanish
FALLING = 0.9  # "falling" if the last quarter's distance from the floor is below this share of the quarter before
CONSTANT = 0.9  # from this share on, answers are no better than one that ignores the input
FEWEST = 20  # with fewer steps, a failure says nothing
RIGHT = 0.99  # at this accuracy the batch is learnt, whatever dropout adds to the loss


@dataclass(frozen=True)
class Memorised:
    """`floor` and `trivial` are the losses of perfect predictions and of predictions that ignore the input, if known.
    `pinned` says how the batch was pinned (see `acting/pinning.py`), `factor` multiplied the learning rate."""

    result: Result
    steps: int
    first: float | None = None
    last: float | None = None
    floor: float | None = None
    trivial: float | None = None
    pinned: str | None = None
    why_not: str | None = None
    factor: float = 1.0
    accuracy: float | None = None


def memorise(
    script: Script,
    factor: float = 1.0,
    steps: int = STEPS,
    seconds: float = SECONDS,
    start: Start | None = None,
) -> Memorised:
    """Run the script with its batch pinned and its learning rate multiplied by `factor`."""
    plan = Plan("memorise", {"steps": steps, "seconds": seconds, "factor": factor})
    try:
        return judge(launch(script, plan, start))
    except ProbeError as error:
        return Memorised("unknown", 0, why_not=str(error), factor=factor)


def judge(trial: Trial) -> Memorised:
    """The result of a trial of kind `memorise`."""
    losses = by_step(trial.run)
    steps, factor = len(losses), trial.found.factor or 1.0
    why_not = _obstacle(trial)
    if why_not is not None:
        return Memorised("unknown", steps, why_not=why_not, factor=factor)
    return _measured(trial, losses, steps, factor)


def _obstacle(trial: Trial) -> str | None:
    """Why the trial shows nothing, whatever its losses; None if it can be judged."""
    if trial.error:
        return f"the script failed when fed the same batch again: {trial.error}"
    if len(trial.run.optimizers) > 1 and len(trial.run.backward_sites) > 1:
        return "several losses are trained in turn"
    if _starts_over(trial.run):
        return "the loop creates new optimizers as it goes (tasks or folds), so one batch is not trained throughout"
    if not trial.found.pinned:
        return trial.found.not_pinned or "the script was ended before its batch could be pinned"
    return None


def _starts_over(run: Run) -> bool:
    """Whether an optimizer takes its first step long after the others: the script loops over tasks or folds."""
    firsts = [optimizer.first_step for optimizer in run.optimizers if optimizer.first_step is not None]
    # Several optimizers of one loop take their first steps within a few steps of each other.
    return len(firsts) > 1 and max(firsts) - min(firsts) >= 2 * len(firsts)


def _measured(trial: Trial, losses: FloatArray, steps: int, factor: float) -> Memorised:
    finite = losses[np.isfinite(losses)]
    floor, trivial = _bounds(trial)
    common: dict[str, Any] = {
        "floor": floor, "trivial": trivial, "pinned": trial.found.pinned, "factor": factor,
        "accuracy": _accuracy(trial.run),
    }  # fmt: skip
    if steps < 2 or not len(finite):
        return Memorised("unknown", steps, why_not="too few steps were seen", **common)
    first, last = float(finite[0]), float(np.median(finite[-max(3, len(finite) // 10) :]))
    common.update(first=first, last=last)
    if not np.isfinite(losses[-1]):
        return Memorised("not finite", steps, **common)
    if common["accuracy"] is not None and common["accuracy"] >= RIGHT and last < first:
        return Memorised("learnt", steps, **common)
    if floor is None and (compared := _compared_term(trial)) is not None:
        left, words = compared
        if left > LEARNT:  # the total may have fallen by its other terms alone
            return Memorised("constant" if left >= CONSTANT else "unknown", steps, why_not=words, **common)
    base = floor if floor is not None else 0.0
    top = min(first, trivial) if trivial is not None else first
    if last - base <= LEARNT * (top - base):
        return Memorised("learnt", steps, **common)
    if floor is None:
        return Memorised("unknown", steps, why_not="the lowest possible loss of this batch is unknown", **common)
    if trial.found.pinned == "loop":
        why = "every step trains on the same input: it is the whole data set, not one batch"
        return Memorised("unknown", steps, why_not=why, **common)
    if top - base <= 0:
        return Memorised("unknown", steps, why_not="every target of the batch is the same", **common)
    if steps < FEWEST:
        return Memorised("unknown", steps, why_not=f"only {steps} steps could be made", **common)
    quarter = max(2, len(finite) // 4)
    before, after = np.median(finite[-2 * quarter : -quarter]), np.median(finite[-quarter:])
    falling = bool(after - base < FALLING * (before - base))
    if trial.found.stopped_by == "time" and last - base < FALLING * (first - base):
        falling = True  # on a busy machine, time runs out after few steps
    return Memorised("falling" if falling else "stuck", steps, **common)


def _bounds(trial: Trial) -> tuple[float | None, float | None]:
    """Floor and trivial loss in the units of the backpropagated loss, which may be a multiple of the loss function's
    value."""
    floor = trial.found.floor
    calls = trial.run.training_losses
    ratio = calls[0].value_ratio if len(calls) == 1 else None
    if not floor or ratio is None or not ratio > 0:
        return None, None
    function, loss = trial.run.series("loss/function").finite.values, by_step(trial.run)
    # If the loss has further terms (a penalty, a divergence), its floor is unknown.
    if not len(function) or not len(loss) or not np.isclose(loss[0], ratio * function[0], rtol=0.02, atol=1e-6):
        return None, None
    return ratio * floor.floor, ratio * floor.trivial


def _compared_term(trial: Trial) -> tuple[float, str] | None:
    """How much of the best constant answer's loss the one loss function has left, for a loss with further terms."""
    bounds, calls = trial.found.floor, trial.run.training_losses
    values = trial.run.series("loss/function").finite.values
    if not bounds or len(calls) != 1 or len(values) < FEWEST or not bounds.trivial > bounds.floor:
        return None
    last = float(np.median(values[-max(3, len(values) // 10) :]))
    left = (last - bounds.floor) / (bounds.trivial - bounds.floor)
    return left, (
        f"the loss has further terms, and {calls[0].fn} alone ends at {num(last)}; "
        f"the best constant prediction gives {num(bounds.trivial)}"
    )


def _accuracy(run: Run) -> float | None:
    values = run.series("accuracy/train").finite.values
    return float(np.median(values[-3:])) if len(values) >= 5 else None


def by_step(run: Run) -> FloatArray:
    """The training loss of each step: the mean over its micro-batches."""
    series = run.series("loss/train")
    if not series:
        return np.empty(0)
    steps, places = np.unique(series.steps, return_inverse=True)
    return np.bincount(places, weights=series.values, minlength=len(steps)) / np.bincount(places)
