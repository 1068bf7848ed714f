"""The outcome of a run in numbers with standard errors, by which two arms are compared at equal steps."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ..probes.memorising import by_step
from ..record import Run, Series
from ..record.types import FloatArray

TAIL = 0.25  # the share of the steps, at the end, that is measured
BLOCKS = 5  # of the tail, for its standard error: successive losses are correlated, means of blocks less so
TRIMMED = 0.1  # share of the values dropped at either end
CAP = 3.0  # limit of an effect in log-ratios: a factor of twenty
ROOM = 0.01  # added to the distance from a perfect score, so that ratios of tiny distances do not count
FITTED = 0.01  # share of the first loss, added to losses for the same reason
PACE = ("data", "forward", "backward", "step")  # the parts of a step; the rest is traindx's own observation


@dataclass(frozen=True)
class Level:
    """A level and its standard error; infinite if the run became NaN/Inf."""

    value: float
    error: float = 0.0


@dataclass(frozen=True)
class Outcome:
    """The results of one arm in its first `steps` steps."""

    steps: int
    first: float  # the loss of the first steps
    loss: Level | None
    score: Level | None
    validation: Level | None
    validation_score: Level | None
    learned: bool  # the loss has fallen by more than its noise
    pace: Level | None = None  # seconds per step


def outcome(run: Run, steps: int | None = None) -> Outcome:
    losses = by_step(run)
    length = len(losses) if steps is None else min(steps, len(losses))
    losses = losses[:length]
    first = float(np.median(losses[: max(1, min(5, length // 10))])) if length else math.nan
    loss = _tail(losses)
    if broken(run) and (steps is None or length < steps):
        loss = Level(math.inf)
    learned = loss is not None and math.isfinite(loss.value) and loss.value + 2 * loss.error < first
    return Outcome(
        length,
        first,
        loss,
        _tail(_upto(run.series("score/train"), length)),
        _last(_upto(run.series("loss/validation"), length + 1)),
        _last(_upto(run.series("score/validation"), length + 1)),
        learned,
        pace(run),
    )


def pace(run: Run) -> Level | None:
    """The median seconds per step, without the time for observation."""
    parts = [run.series(f"time/{part}").finite.values for part in PACE]
    if not len(parts[1]) or not len(parts[2]):
        return None
    parts = [values[len(values) // 10 :] for values in parts if len(values)]  # without the warm-up steps
    spread = [float(np.median(np.abs(values - np.median(values)))) / math.sqrt(len(values)) for values in parts]
    return Level(sum(float(np.median(values)) for values in parts), math.hypot(*spread))


def both_fitted(control: Outcome, treated: Outcome) -> bool:
    """Whether both arms have fitted their training data, so that only held-out data can show a difference."""
    firsts = [side.first for side in (control, treated) if math.isfinite(side.first) and side.first > 0]
    losses = [side.loss.value for side in (control, treated) if side.loss is not None]
    evaluated = control.validation is not None and treated.validation is not None
    return evaluated and len(firsts) == len(losses) == 2 and max(losses) < FITTED * min(firsts)


def broken(run: Run) -> bool:
    """Whether the script failed or its loss became NaN/Inf."""
    return run.facts.get("exit") == "exception" or bool(run.events_of("nonfinite-loss"))


def _upto(series: Series, steps: int) -> FloatArray:
    return series.values[series.steps < steps] if series else np.empty(0)


def _tail(values: FloatArray) -> Level | None:
    if not len(values):
        return None
    tail = values[-max(1, math.ceil(TAIL * len(values))) :]
    if not np.isfinite(tail).all():
        return Level(math.inf)
    blocks = np.array([block.mean() for block in np.array_split(tail, min(BLOCKS, len(tail)))])
    error = float(blocks.std(ddof=1) / math.sqrt(len(blocks))) if len(blocks) > 1 else 0.0
    ordered = np.sort(tail)
    cut = int(TRIMMED * len(ordered))
    return Level(float(ordered[cut : len(ordered) - cut].mean()), error)


def _last(values: FloatArray) -> Level | None:
    """The level of the last quarter of a short series of evaluations."""
    if not len(values):
        return None
    tail = values[-max(1, len(values) // 4) :]
    if not np.isfinite(tail).all():
        return Level(math.inf)
    error = float(tail.std(ddof=1) / math.sqrt(len(tail))) if len(tail) > 1 else 0.0
    return Level(float(np.median(tail)), error)


@dataclass(frozen=True)
class Difference:
    """How much better the treated arm is: a log-ratio within ±CAP, positive if better, and its standard error."""

    value: float
    error: float


def in_loss(control: Outcome, treated: Outcome) -> Difference | None:
    """The difference in training loss at equal steps."""
    if control.loss is None or treated.loss is None:
        return None
    return _lower_is_better(control.loss, treated.loss, (control.first, treated.first), treated.learned)


def in_validation(control: Outcome, treated: Outcome) -> Difference | None:
    """The difference in validation loss, if the script evaluates."""
    if control.validation is None or treated.validation is None:
        return None
    return _lower_is_better(control.validation, treated.validation, (control.first, treated.first), True)


def in_pace(control: Outcome, treated: Outcome) -> Difference | None:
    """The difference in seconds per step."""
    if control.pace is None or treated.pace is None or min(control.pace.value, treated.pace.value) <= 0:
        return None
    error = math.hypot(control.pace.error / control.pace.value, treated.pace.error / treated.pace.value)
    return Difference(_capped(math.log(control.pace.value / treated.pace.value)), error)


def _lower_is_better(control: Level, treated: Level, firsts: tuple[float, float], learned: bool) -> Difference:
    before, after, first = control.value, treated.value, firsts[0]
    if not math.isfinite(before) or not math.isfinite(after):
        if math.isfinite(after):
            return Difference(CAP if learned else 0.0, 0.0)  # a finite loss is better only if the run learns
        return Difference(-CAP if math.isfinite(before) else 0.0, 0.0)
    if before > 0 and after > 0:
        finite = [value for value in firsts if math.isfinite(value) and value > 0]
        room = FITTED * min(finite) if finite else 0.0
        before, after = before + room, after + room
        error = math.hypot(control.error / before, treated.error / after)
        return Difference(_capped(math.log(before) - math.log(after)), error)
    # Losses below zero have no log-ratio: take the difference as a share of the larger gain of both arms.
    gained = abs(first - min(before, after)) if math.isfinite(first) else 0.0
    span = max(gained, abs(before - after), 1e-12)
    return Difference(_capped((before - after) / span), math.hypot(control.error, treated.error) / span)


def in_score(control: Level | None, treated: Level | None) -> Difference | None:
    """The difference in the distance to a perfect score."""
    if control is None or treated is None:
        return None
    if not math.isfinite(control.value) or not math.isfinite(treated.value):
        return None
    before, after = 1 - control.value + ROOM, 1 - treated.value + ROOM
    return Difference(_capped(math.log(before / after)), math.hypot(control.error / before, treated.error / after))


def _capped(value: float) -> float:
    return max(-CAP, min(CAP, value))
