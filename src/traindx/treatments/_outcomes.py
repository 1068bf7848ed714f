"""What a run shows: its outcome in numbers with standard errors, and the signs that a hypothesis rests on."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np

from ..causes import all_causes
from ..diagnosis import Hypothesis, SymptomChange, TrialCurve
from ..probes.memorising import by_step
from ..record import Run, Series
from ..record.types import FloatArray
from ..signs import Signs, all_signs
from ._base import JudgedBy

# ── by which two arms are compared at equal steps ─────────────────────────────────────────────────

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

    def of(self, kind: JudgedBy) -> Level | None:
        """What a trial of this kind compares."""
        parts = {"score": self.validation_score or self.score, "validation": self.validation, "time": self.pace}
        return parts.get(kind, self.loss)


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
    return run.exit == "exception" or bool(run.events_of("nonfinite-loss"))


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
    return _lower_is_better(control.loss, treated.loss, (control.first, treated.first), treated.learned)


def in_validation(control: Outcome, treated: Outcome) -> Difference | None:
    """The difference in validation loss, if the script evaluates."""
    return _lower_is_better(control.validation, treated.validation, (control.first, treated.first), True)


def in_pace(control: Outcome, treated: Outcome) -> Difference | None:
    """The difference in seconds per step."""
    if control.pace is None or treated.pace is None or min(control.pace.value, treated.pace.value) <= 0:
        return None
    error = math.hypot(control.pace.error / control.pace.value, treated.pace.error / treated.pace.value)
    return Difference(_capped(math.log(control.pace.value / treated.pace.value)), error)


def _lower_is_better(
    control: Level | None, treated: Level | None, firsts: tuple[float, float], learned: bool
) -> Difference | None:
    if control is None or treated is None:
        return None
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


# ── the training loss of an arm reduced to few points, for a chart of two arms ────────────────────

MOST_POINTS = 120
DIGITS = 6  # more than a chart shows


def both(control: Run | None, treated: Run | None) -> tuple[TrialCurve, ...]:
    """The curves of both arms; empty if one of them has no loss."""
    if control is None or treated is None:
        return ()
    found = thinned("control", control), thinned("treated", treated)
    return found if all(curve.steps for curve in found) else ()


def thinned(label: Literal["control", "treated"], run: Run) -> TrialCurve:
    """Medians of equal blocks of steps. Non-finite losses count as infinite, so a block with half of them is None."""
    series = run.series("loss/train")
    steps, place = np.unique(series.steps, return_inverse=True)
    count = min(MOST_POINTS, len(steps))
    if not count:
        return TrialCurve(label, [], [])
    values = np.where(np.isfinite(series.values), series.values, np.inf)
    edges = [i * len(steps) // count for i in range(count + 1)]
    medians = [np.median(values[(first <= place) & (place < last)]) for first, last in pairwise(edges)]
    middles = [int(steps[(first + last) // 2]) for first, last in pairwise(edges)]
    return TrialCurve(label, middles, [float(f"{m:.{DIGITS}g}") if np.isfinite(m) else None for m in medians])


# ── symptoms, compared between the control and a treated run ──────────────────────────────────────

# Signs that an arm may show only because it ends early, at its step limit.
OF_LENGTH = (
    "too-short",
    "too-early",
    "few-updates",
    "still-improving",
    "validation-still-improving",
    "much-to-gain",
    "loss-falling-slowly",
)
MUCH_BETTER = math.log(2.0)  # half the loss, or half as many errors
FAR_BETTER = math.log(10.0)
OF_FLOOR = ("loss-plateau",)
MOVES = ("fault", "outcome", "dynamics")  # kinds of signs that a change can remove; settings and data do not change


def symptoms(hypothesis: Hypothesis, control: Signs) -> list[str]:
    """The ids of the raised signs that must disappear if the hypothesis is right and its fix is applied."""
    units = all_signs()
    required = set(all_causes()[hypothesis.cause].requires)
    moved = {part.sign for part in hypothesis.contributions if part.amount > 0.2}
    outcomes = {name for name, unit in units.items() if unit.shows == "outcome" and unit.bad_from is not None}
    return [
        sign.id for sign in control.raised()
        if sign.id in required | moved | outcomes and units[sign.id].shows in MOVES
    ]  # fmt: skip


def conditions(hypothesis: Hypothesis, control: Signs) -> list[str]:
    """The raised signs that are a condition of the cause (for example, layers without an activation between them)."""
    units = all_signs()
    required = set(all_causes()[hypothesis.cause].requires)
    return [sign.id for sign in control.raised() if sign.id in required and units[sign.id].shows == "condition"]


def compared(names: Sequence[str], control: Signs, treated: Signs, reached: bool = True) -> list[SymptomChange]:
    """The change of each sign. A sign that is missing in the treated run counts as gone, because there is nothing left
    to measure (without clipping, nothing is clipped). It counts as still raised if the run ended too early to show it
    (`reached` is False), or if measuring it failed."""
    found = []
    for name in names:
        if name in control:
            unknown = name not in treated and (not reached or name in treated.errors)
            found.append(SymptomChange(name, control[name].level, (control if unknown else treated).level(name)))
    return found


def gone(changes: Sequence[SymptomChange], gain: float = 0.0) -> bool:
    """Whether all faults and bad outcomes are gone. If there were none, whether most signs of dynamics are gone.

    Signs of dynamics do not count beside a fault or a bad outcome, nor if the outcome is much better (`gain`, a
    log-ratio): some of them (a first loss at chance level, a training loss above the validation loss) also occur in
    healthy runs. Nor does a plateau at a far lower level: it may be the floor of the task.
    """
    units = all_signs()
    ends = OF_FLOOR if gain >= FAR_BETTER else ()
    hard = [c for c in changes if units[c.sign].shows in ("fault", "outcome") and c.sign not in ends]
    if hard:
        return all(change.gone for change in hard)
    return not changes or gain >= MUCH_BETTER or sum(change.gone for change in changes) * 2 > len(changes)
