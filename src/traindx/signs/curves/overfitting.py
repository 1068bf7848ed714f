"""Validation that gets worse, or falls behind, while training goes on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...record import Run
from ...wording import change, num4, percent
from .. import questions
from .._base import Measured, Severity, Sign, Unless, ramp, sign
from .._chance import chance_accuracy
from .._medians import median_filter
from .._rise import Rise, rise_of, window
from .._trend import trend
from .._validation import evaluations, training_at
from ..curve import (
    Curve,
    accuracy_of,
    adversarial,
    curve_of,
    moment,
    robust_spread,
    spread_of_differences,
    training_loss,
    validation_loss,
)

SMALL, CLEAR = 0.02, 0.04  # relative rise; 3 % is half way
# Of an observed run much else is known, and a few percent on a small validation set are no verdict.
CLEARLY, SLIGHT = 0.1, 0.85
ABOVE_CHANCE = 0.05  # of what chance leaves to win; where classes are many and chance is less than that, twice chance
POINTS = (0.07, 0.15)  # of accuracy
FALLEN = (0.04, 0.1)  # of what the metric had gained from its first value to its best
FEWEST = 5
FEWEST_FOR_A_HUMP = 9


@dataclass(frozen=True)
class Beside:
    """Another series from the validation loss's minimum on; `words` continues the sentence."""

    then: float | None
    now: float | None
    words: str
    fell: float = 0.6  # 0 to 1; without a training loss to compare, half belief
    better: bool = False


def _do_now_validation_rising(sign: Sign, run: Run) -> str:
    low, at = float(sign.values["minimum"]), int(sign.values["minimum_step"])
    return f"Keep the checkpoint of {moment(run, at)} (validation loss {num4(low)}); training on has made it worse."


def accuracy_goes_on(run: Run) -> Unless | None:
    """A validation accuracy that went on improving after the lowest validation loss: only the objective got worse.

    The share of the errors that went must exceed the share by which the loss rose: else it is overfitting all the same.
    """
    found = accuracy_since_minimum(run)
    if found.then is None or found.now is None:
        return None
    rise = rise_of(validation_loss(run)).ratio
    fewer = (found.now - found.then) / (1.0 - found.then) if 0.0 <= found.then < 1.0 else 0.0
    return Unless(found.better and fewer > rise, "the share of wrong answers went on falling")


@sign(
    "validation-rising",
    questions.VALIDATION,
    "outcome",
    core=True,
    bad_from=0.9,
    doubt_from=0.5,
    end="step",
    do_now=_do_now_validation_rising,
    unless={accuracy_goes_on: 0.6},
)
def validation_rising(run: Run) -> Measured | str:
    """How far the validation loss ends above its minimum while the training loss went on falling.

    The rise is the smoothed level at the end against the lowest smoothed level (`_rise.py`), in units of the noise
    of the evaluations; 3 % is where it begins to count. The text gives the raw minimum and the last value, as the
    record holds them. Where the training loss rose too, both diverge, and that is loss-diverged's business. The
    validation accuracy since then is told beside it.
    """

    validation = validation_loss(run)
    if len(validation) < 3:
        return "fewer than three validation losses were recorded"
    rise = rise_of(validation)
    training, accuracy = _training(run, validation), accuracy_since_minimum(run)
    level = min(_significance(validation, rise), _size(rise), training.fell, _part_of_course(validation, rise))
    if run.kind == "observed" and rise.ratio < CLEARLY:
        level = min(level, SLIGHT)
    ending = min(window(len(validation)), rise.after)  # evaluations that make the level at the end
    if int(np.argmin(validation.values)) >= len(validation) - ending:
        level = 0.0  # the lowest of all is among them
    low, last, step = validation.minimum, validation.final, validation.minimum_step
    above = (last - low) / (abs(low) or validation.size)
    values = {
        "minimum": low, "minimum_step": step, "last": last, "last_step": validation.final_step, "rise": above,
        "smoothed_rise": rise.ratio, "noise": rise.noise, "z": rise.z, "evaluations": len(validation),
        "training_then": training.then, "training_last": training.now,
        "accuracy_then": accuracy.then, "accuracy_last": accuracy.now,
    }  # fmt: skip
    what = f"its minimum ({num4(low)} at {moment(run, step)})"
    if level < 0.5:
        ends = (
            f"at {what}"
            if above <= 0
            else f"{'at ' if above >= 2 else ''}{change(above)} {'' if above >= 2 else 'above '}{what}"
        )
        scatter = f"; smoothed, {percent(rise.ratio)} above" if above > 2 * max(rise.ratio, SMALL) else ""
        return Measured(above, f"Validation loss ends {ends}{scatter}.", level=level, values=values)
    text = (
        f"Validation loss ends at {num4(last)}, {change(above)} {'' if above >= 2 else 'above '}{what}"
        f"{training.words}{accuracy.words}."
    )
    return Measured(above, text, level=level, onset=step, severity=_severity(rise), values=values)


def _severity(rise: Rise) -> Severity:
    return "critical" if rise.ratio >= 0.5 else "warning" if rise.ratio >= 0.045 and rise.z >= 3.5 else "info"


def _size(rise: Rise) -> float:
    """0 to 1. Where the noise is far smaller, a rise of half the usual size is already evident."""
    return max(ramp(rise.ratio, SMALL, CLEAR), ramp(rise.ratio, SMALL / 2, CLEAR / 2) if rise.z >= 8 else 0.0)


def _significance(validation: Curve, rise: Rise) -> float:
    """0 to 1. One evaluation above the lowest proves nothing unless it is far above.

    A slow rise among noisy evaluations shows best in the order of all those of the second half.
    """
    if rise.after < 2:
        return ramp(rise.height, 0.3, 0.7) * ramp(rise.z, 4, 8)
    late = validation.ratios[len(validation) // 2 :]
    course = trend(np.arange(float(len(late))), late) if len(late) >= 10 else None
    return max(ramp(rise.z, 1.5, 3.5), ramp(course.z, 2.0, 3.2) if course is not None else 0.0)


def _training(run: Run, validation: Curve) -> Beside:
    training = training_loss(run)
    if len(training) < 3:
        return Beside(None, None, "; no training loss was recorded beside it")
    then, now = training_at(run, validation.minimum_step), training.last
    rise = (now - then) / (abs(then) or training.size)
    noise = 2 * training.noise / (1.0 if training.logarithmic else abs(then) or training.size)
    fell = ramp(rise, 0.05 + noise, 0.02 + noise / 2)
    verb = "fell" if now < then else "stayed"
    words = f", while training loss {verb} {'from' if now < then else 'near'} {num4(then)}"
    words += f" to {num4(now)} (smoothed)" if now < then else ""
    return Beside(then, now, words, fell)


def accuracy_since_minimum(run: Run) -> Beside:
    """The validation accuracy since the validation loss's minimum: better only by more than its own scatter."""
    accuracy, validation = accuracy_of(run, "validation"), validation_loss(run)
    if not len(validation):
        return Beside(None, None, "")
    since = accuracy.between(validation.minimum_step, float("inf"))
    if len(since) < 2:
        return Beside(None, None, "")
    then, now = float(since.values[0]), since.final
    scatter = float(np.median(np.abs(np.diff(since.values)))) if len(since) > 3 else 0.0
    better = now - then > max(0.005 * max(abs(then), abs(now)), scatter)
    verb = "improved" if better else "fell" if now < then else "hardly changed"
    course = f"{verb} from {num4(then)} to {num4(now)}" if now != then else f"stayed at {num4(now)}"
    words = f"; validation accuracy {course}"
    return Beside(then, now, words, better=better)


def _part_of_course(validation: Curve, rise: Rise) -> float:
    """0 to 1: a rise far below what the early evaluations stood at is a movement near zero, not overfitting."""
    early = float(np.median(validation.values[: max(2, len(validation) // 4)]))
    low = validation.minimum
    if low <= 0 or early <= 0:
        return 1.0
    return ramp(low * rise.ratio / early, 0.001, 0.004)


@dataclass(frozen=True)
class Found:
    level: float
    text: str
    onset: int
    values: dict[str, float]


@sign("metric-gap", questions.VALIDATION, "dynamics", end="step")
def metric_gap(run: Run) -> Measured | str:
    """How far a validation accuracy or metric falls behind training, or behind its own best, while training improves.

    Two tests, of which the stronger counts. *Gap*: at the end the training accuracy leads by many points, and the
    gap has grown since the first evaluations; 10 points are where it begins to count. *Fallen*: the validation
    metric ends below its own best by more than its scatter, in units of what it had gained; an accuracy whose best is
    that of chance has lost nothing. Error rates are negated
    when a log is read, so larger is better here.
    """

    if adversarial(run):
        return "the metrics of adversarial networks need not rise"
    pairs = _pairs(run)
    found = [one for name, training, validation in pairs for one in _tests(run, name, training, validation)]
    if not found:
        return "no accuracy or metric was recorded both in training and in validation"
    best = max(found, key=lambda one: one.level)
    onset = best.onset
    return Measured(best.level, best.text, onset=onset, values=best.values)


def _pairs(run: Run) -> list[tuple[str, Curve, Curve]]:
    """Name, training and validation curve; the training curve may be empty."""
    found = [("accuracy", accuracy_of(run, "train"), accuracy_of(run, "validation"))]
    for name in run.series_names:
        if name.startswith("metric/validation/"):
            word = name.rpartition("/")[2]
            found.append((word, curve_of(run.series(f"metric/train/{word}")), curve_of(run.series(name))))
    return [pair for pair in found if len(pair[2]) >= FEWEST]


def _tests(run: Run, name: str, training: Curve, validation: Curve) -> list[Found]:
    found = []
    if len(training) >= FEWEST and name == "accuracy":
        found.append(_gap(training, validation))
    best = int(validation.steps[int(np.argmax(validation.values))])
    if _training_improves(run, training, best):
        found.append(_fallen(run, name, validation))
    return found


def _gap(training: Curve, validation: Curve) -> Found:
    beside = np.interp(validation.steps, training.steps, training.values)
    gaps = beside - validation.values
    few = max(2, len(gaps) // 5)
    first, last = float(np.median(gaps[:few])), float(np.median(gaps[-few:]))
    grown = last - max(first, 0.0)
    level = min(
        ramp(last, *POINTS), ramp(grown, POINTS[0] / 2, POINTS[1] / 2), ramp(training.last - validation.last, *POINTS)
    )
    wide = np.flatnonzero(gaps > max(first, 0.0) + 0.5 * grown)
    at = int(validation.steps[int(wide[0])]) if len(wide) else int(validation.steps[0])
    text = (
        f"Training accuracy ends at {percent(training.final)}, validation accuracy at {percent(validation.final)} "
        f"({percent(float(validation.values.max()))} at best); the gap was {percent(max(first, 0.0))} at the start."
    )
    return Found(
        level,
        text,
        at,
        {
            "gap": last,
            "first_gap": first,
            "training": training.last,
            "validation": validation.last,
            "gained": validation.last - float(validation.values[0]),
            "best_step": _first_as_good(validation),
        },
    )


def _first_as_good(validation: Curve) -> int:
    """The first evaluation that is as good as the best one, give or take their scatter."""
    scatter = robust_spread(np.diff(validation.values)) / np.sqrt(2)
    return int(validation.steps[int(np.argmax(validation.values >= validation.values.max() - 2 * scatter))])


def _fallen(run: Run, name: str, validation: Curve) -> Found:
    values = validation.values
    best = int(np.argmax(values))
    few = max(1, len(values) // 10)
    top = float(np.median(np.sort(values)[-max(2, len(values) // 8) :]))
    end = float(np.median(values[-max(2, few) :]))
    gained = top - float(np.median(values[: max(1, few // 2)]))
    scatter = robust_spread(np.diff(values)) / np.sqrt(2) if len(values) > 4 else 0.0
    lost = top - end
    level = 0.0
    if gained > 0 and len(values) - 1 - best >= 2:
        level = min(ramp(lost / gained, *FALLEN), ramp(lost, 2 * scatter, 4 * scatter + 1e-12))
    share = chance_accuracy(run) if name == "accuracy" else None
    if share is not None:  # what was never above chance has nothing to lose
        enough = min(ABOVE_CHANCE * (1 - share), share)
        level = min(level, ramp(float(values[best]) - share, enough / 2, enough))
    low, high = (num4(abs(float(values[best]))), num4(abs(float(values[-1]))))
    verb = "best" if values[best] >= 0 else "lowest"
    text = f"Validation {name} was {low} at its {verb} ({moment(run, int(validation.steps[best]))}) and ends at {high}."
    return Found(
        level,
        text,
        int(validation.steps[best]),
        {"best": float(values[best]), "last": float(values[-1]), "best_step": int(validation.steps[best])},
    )


def _training_improves(run: Run, training: Curve, since: int) -> bool:
    """Whether training improved, by its own metric or by its loss, and lost nothing of it since then."""
    if len(training) >= FEWEST:
        scatter = robust_spread(np.diff(training.values))
        then = float(np.interp(since, training.steps, training.values))
        return training.last > float(np.median(training.values)) and training.last > then - 2 * scatter
    loss = training_loss(run)
    return len(loss) >= FEWEST and loss.last < min(float(np.median(loss.values)), training_at(run, since))


@sign("validation-double-descent", questions.VALIDATION, "dynamics", severity="info", end="step")
def validation_double_descent(run: Run) -> Measured | str:
    """How high the hump is when the validation loss (or error) falls, rises and then falls below its first minimum.

    The hump is relative to the first minimum (5 % is little, 20 % is not) and against the noise of the validation
    loss; each part must last for at least two evaluations, so one bad evaluation is not a hump.
    """

    found = [one for name, curve in _courses(run) if (one := _hump(run, name, curve)) is not None]
    if not found:
        return "fewer than nine validation losses or accuracies were recorded"
    return max(found, key=lambda one: one.level or 0.0)


def _courses(run: Run) -> list[tuple[str, Curve]]:
    accuracy = accuracy_of(run, "validation")
    error = curve_of(run.series("metric/validation/error"))  # negated when it was read
    return [
        ("loss", evaluations(run)),
        ("error", Curve(error.steps, -error.values)),
        ("error (1 - accuracy)", Curve(accuracy.steps, 1.0 - accuracy.values)),
    ]


def _hump(run: Run, name: str, validation: Curve) -> Measured | None:
    if len(validation) < FEWEST_FOR_A_HUMP:
        return None
    y = median_filter(validation.values, max(3, len(validation) // 30 * 2 + 1), beyond="edge")
    # The deepest later level for every point, and the hump between the best pair of minima around it.
    before, after = np.minimum.accumulate(y), np.minimum.accumulate(y[::-1])[::-1]
    humps = np.where((after <= before) & (before < y), y - before, 0.0)
    top = int(np.argmax(humps))
    lowest = float(before[top])
    height = float(humps[top]) / (abs(lowest) or 1.0)
    noise = spread_of_differences(validation.values)
    first = int(np.argmin(y[: top + 1]))
    lasts = top - first >= 2 and len(y) - 1 - top >= 2 and first >= 1
    certain = ramp(float(humps[top]) / noise if noise > 0 else np.inf, 4, 8)
    fell = float(y[0]) - lowest > float(humps[top]) * 0.3
    level = min(certain, ramp(height, 0.05, 0.2)) if lasts and fell and humps[top] > 0 else 0.0
    text = f"Validation {name} has a hump of {percent(height)} between two descents."
    step, again = int(validation.steps[top]), float(after[top])
    if level >= 0.5:
        text = (
            f"Validation {name} fell to {num4(lowest)} at {moment(run, int(validation.steps[first]))}, rose by "
            f"{percent(height)} until {moment(run, step)} and fell again to {num4(again)}."
        )
    values = {"first_minimum": lowest, "hump": height, "hump_step": step, "second_minimum": again}
    return Measured(height, text, level=level, onset=int(validation.steps[first]), values=values)
