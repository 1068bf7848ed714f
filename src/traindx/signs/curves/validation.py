"""Validation beside training: apart from the start, at chance, never better, still improving."""

from __future__ import annotations

import math

import numpy as np

from ...record import Run
from ...record.types import FloatArray
from ...wording import num4, percent
from .. import questions
from .._base import Measured, Severity, ramp, sign
from .._chance import chance_accuracy, chance_level, compared_loss
from .._fall import fall_of
from .._progress import progress
from .._rate import rate_left
from .._trend import size_z, trend
from .._validation import evaluated_pairs, training_at, validation_scale
from ..curve import accuracy_of, adversarial, curve_of, moment, training_loss, validation_loss
from ._advice import compare_the_data

FEWEST_BESIDE = 5
POINTS = (0.1, 0.2)  # of accuracy
RATIO = (1.5, 3.0)
GROWN = (2.0, 1.4)  # times the distance at the first evaluation
SAME = (1.6, 1.25)  # between the first and the last fifth
PARALLEL = (1.3, 1.8)  # the ratio at the end, of losses that run side by side
FEWEST_EVALUATIONS = 4


@sign("validation-gap", questions.VALIDATION, "outcome", severity="info", doubt_from=0.8)
def validation_gap(run: Run) -> Measured | str:
    """How many times the training loss the validation loss is, at a distance that was there from the first evaluation
    on.

    The distance must be the same at the end as at the start: one that opens later is overfitting (validation-
    rising). As a high training loss hides a distance in the ratio, the ratio over the last half counts; one that is
    as large from the start counts although the distance shrinks with both losses. Accuracies are compared in
    points, losses where all are positive; the clearer of the two counts.
    """

    found = [sign for sign in (_between_losses(run), _between_accuracies(run)) if sign is not None]
    if not found:
        return "fewer than two evaluations beside a positive training loss were recorded"
    return max(found, key=lambda one: one.level or 0.0)


def _between_losses(run: Run) -> Measured | None:
    pairs = evaluated_pairs(run)
    if len(pairs.steps) < 2 or min(pairs.validation.min(), pairs.training.min()) <= 0:
        return None
    ratios = pairs.validation / pairs.training
    gaps = pairs.validation - pairs.training
    smallest = float(np.quantile(ratios, 0.1))
    grown = float(gaps[-1] / gaps[0]) if gaps[0] > 0 else math.inf
    first, last = float(ratios[0]), float(ratios[-1])
    level = ramp(min(first, smallest), *RATIO, log=True) * ramp(grown, *GROWN)
    if len(ratios) >= FEWEST_BESIDE:
        level = max(level, _in_parallel(gaps, ratios))
    values = {"ratio": smallest, "first_ratio": first, "last_ratio": last, "grown": grown, "evaluations": len(ratios)}
    began = moment(run, int(pairs.steps[0]))
    text = (
        f"Validation loss is {first:.3g} times the training loss at the first evaluation ({began}) "
        f"and {last:.3g} times at the last ({num4(float(pairs.validation[-1]))} against "
        f"{num4(float(pairs.training[-1]))})."
    )
    # Not bad by itself: other terms, units or modes make such a gap as well as other data do.
    return Measured(smallest, text, level=level, onset=int(pairs.steps[0]), values=values)


def _in_parallel(gaps: FloatArray, ratios: FloatArray) -> float:
    """0 to 1: the distance stays the same, give or take its scatter, while training goes on; at the end it is large."""
    few = max(2, len(gaps) // 5)
    first, last = float(np.median(gaps[:few])), float(np.median(gaps[-few:]))
    if min(first, last, float(gaps[0])) <= 0:
        return 0.0
    same = min(ramp(max(last, first) / min(last, first), *SAME), ramp(last / float(gaps[0]), *GROWN))
    return min(same, ramp(float(np.median(ratios[len(ratios) // 2 :])), *PARALLEL, log=True))


def _between_accuracies(run: Run) -> Measured | None:
    """How many points validation lies below training at its nearest. A log may round to two digits."""
    training, validation = accuracy_of(run, "train"), accuracy_of(run, "validation")
    if min(len(training), len(validation)) < FEWEST_BESIDE:
        return None
    gaps = np.interp(validation.steps, training.steps, training.values) - validation.values
    few = max(2, len(gaps) // 8)
    first, last = float(np.median(gaps[:few])), float(np.median(gaps[-few:]))
    smallest = min(first, last, float(np.quantile(gaps, 0.1)))
    level = ramp(smallest, *POINTS) * ramp(last / first if first > 0 else math.inf, *GROWN)
    text = (
        f"Validation accuracy is {percent(first)} below training accuracy at the first evaluations and {percent(last)} "
        f"below it at the last ({percent(validation.final)} against {percent(training.final)})."
    )
    values = {"first_gap": first, "last_gap": last, "evaluations": len(gaps)}
    return Measured(smallest, text, level=level, onset=int(validation.steps[0]), values=values)


@sign("generalisation-gap", questions.VALIDATION, "outcome", severity="info", doubt_from=0.8, end="step")
def generalisation_gap(run: Run) -> Measured | str:
    """How much more of what there was to learn training has learned than validation at its best.

    Both are measured against chance where it is known, else against the first loss: if the validation loss stays
    half way while the training loss falls to almost nothing, the model memorises, even if validation never rises.
    Accuracies are compared in percentage points; 20 are severe. An overconfident model shows a gap in the losses
    but not in the accuracies, so where both are known their mean counts.
    """

    if adversarial(run):
        return "the losses of adversarial networks cannot be compared"
    losses, accuracies = _of_losses(run), _of_accuracies(run)
    found = [part for part in (losses, accuracies) if part is not None]
    if not found:
        return "fewer than two evaluations beside a positive training loss were recorded"
    level = float(np.mean([level for level, _, _ in found]))
    # How far two losses lie apart is no outcome: validation-rising and validation-never-improves are.
    return Measured(found[0][1], "; ".join(text for _, _, text in found) + ".", level=level)


def _of_losses(run: Run) -> tuple[float, float, str] | None:
    pairs, loss = evaluated_pairs(run), compared_loss(run)
    if len(pairs.steps) < 2 or min(pairs.validation.min(), pairs.training.min()) <= 0:
        return None
    best, last = float(pairs.validation.min()), float(pairs.training[-1])
    one, other = progress(run, loss, best), progress(run, loss, last)
    if one is None or other is None:
        return None
    gap = min(one.left, 1.0) - min(other.left, 1.0)
    text = (
        f"Training loss is {num4(last)} at the last evaluation, the lowest validation loss is {num4(best)}; {one.text}"
    )
    return ramp(gap, 0.15, 0.35), gap, text


def _of_accuracies(run: Run) -> tuple[float, float, str] | None:
    training, validation = accuracy_of(run, "train"), accuracy_of(run, "validation")
    late = training.values[training.steps >= 0.75 * run.steps] if len(training) else np.empty(0)
    if len(late) < 2 or not len(validation):
        return None
    reached, best = float(np.mean(late)), float(validation.values.max())
    text = f"training accuracy ends at {percent(reached)}, validation accuracy is {percent(best)} at best"
    return ramp(reached - best, 0.08, 0.2), reached - best, text


@sign("train-above-validation", questions.VALIDATION, "dynamics", severity="info", end="step")
def train_above_validation(run: Run) -> Measured | str:
    """How many times the validation loss the training loss is.

    Dropout and augmentation make up to 1.5 times ordinary. Beyond that the two are not the same quantity: losses
    summed over accumulation steps, extra terms, or a train mode that differs from eval mode. The median over the
    later evaluations counts, not a single one.
    """

    pairs = evaluated_pairs(run)
    # A loss that falls fast is above a later evaluation by delay alone: the later half has less of that.
    late = slice(len(pairs.steps) // 2, None)
    training, validation = pairs.training[late], pairs.validation[late]
    if len(training) < 2:
        return "fewer than two evaluations beside a training loss were recorded"
    if min(training.min(), validation.min()) <= 0:
        return "losses at or below zero cannot be compared as ratios"
    ratio = float(np.median(training / validation))
    level = ramp(ratio, 1.5, 3.0, log=True)
    text = (
        f"Training loss is {ratio:.3g} times the validation loss over the later half of the evaluations "
        f"({num4(float(training[-1]))} against {num4(float(validation[-1]))} at the last; up to 1.5 times is ordinary)."
    )
    onset = int(pairs.steps[late][0])
    return Measured(ratio, text, level=level, onset=onset, values={"ratio": ratio, "evaluations": len(training)})


@sign(
    "validation-at-chance",
    questions.VALIDATION,
    "outcome",
    bad_from=0.8,
    doubt_from=0.5,
    needs_time=True,
    do_now=compare_the_data,
)
def validation_at_chance(run: Run) -> Measured | str:
    """Whether validation never gets better than chance while training does.

    Chance is the trivial predictor's loss or the share of the most common class. The best evaluation counts: one
    that beats chance by a tenth shows that something carries over.
    """

    chance, share = chance_level(run), chance_accuracy(run)
    loss, accuracy = validation_loss(run), accuracy_of(run, "validation")
    training = compared_loss(run)
    levels: list[tuple[float, str, dict[str, float]]] = []
    scale = validation_scale(run)
    if chance is not None and scale is not None and len(loss):
        best, level = float(loss.values.min()), chance.loss / scale
        text = f"Validation loss is {num4(best)} at its minimum; chance is {num4(level)} ({chance.text})"
        levels.append((ramp(best / level, 0.9, 0.98), text, {"best_loss": best, "chance": level}))
    if share is not None and len(accuracy):
        best = float(accuracy.values.max())
        text = f"Validation accuracy is {percent(best)} at best; the most common class alone gives {percent(share)}"
        levels.append(
            (
                ramp(best - share, 0.1 * (1 - share), 0.02 * (1 - share)),
                text,
                {"best_accuracy": best, "chance_accuracy": share},
            )
        )
    explained = curve_of(run.series("metric/validation/r2"))
    if len(explained) >= 3:
        best = float(explained.values.max())
        text = f"Validation R2 is {num4(best)} at best; the mean of the targets alone gives 0"
        levels.append((ramp(best, 0.1, 0.03), text, {"best_r2": best}))
    if not levels:
        return "chance is not known, or nothing was evaluated"
    level, text, values = min(levels)  # better than chance in one of them is better than chance
    learned = 0.0
    if chance is not None and len(training):
        learned = ramp(training.last / chance.loss, 0.95, 0.8)
    elif len(training) and training.first > 0:
        learned = ramp(training.last / training.first, 0.9, 0.7)
    level *= learned
    severity: Severity = "critical" if level >= 0.8 else "warning"
    onset = int(next(c for c in (loss, accuracy, explained) if len(c)).steps[0])
    return Measured(level, f"{text}.", onset=onset, severity=severity, values=values | {"training_learned": learned})


@sign(
    "validation-never-improves",
    questions.VALIDATION,
    "outcome",
    bad_from=0.8,
    doubt_from=0.5,
    needs_time=True,
    end="step",
    do_now=compare_the_data,
)
def validation_never_improves(run: Run) -> Measured | str:
    """Whether validation never gets better than at its first evaluation while the training loss falls far.

    A fall below the first evaluation by 3 %, or one that stands out from the noise of the evaluations, is an
    improvement; an accuracy that improves is one too. Training must have fallen to a third of where it stood at the
    first evaluation.
    """

    validation, training = validation_loss(run), training_loss(run)
    fall = fall_of(validation)
    if fall is None or len(training) < 3:
        return "fewer than three validation losses beside a training loss were recorded"
    if adversarial(run):
        return "the losses of adversarial networks cannot be compared"
    first = float(validation.values[0])
    # Where the first evaluation came before the first training loss, that one stands beside it.
    then, now = training_at(run, int(validation.steps[0])), training.last
    if min(first, then, float(training.values[0])) <= 0:
        return "losses at or below zero cannot be compared as ratios"
    then = max(then, float(training.values[0])) if len(training) == len(validation) else then
    left = max(now, 0.0) / then
    better = (first - validation.minimum) / first
    flat = max(ramp(better, 0.04, 0.02), ramp(fall.z, 3.0, 1.5) * ramp(better, 0.15, 0.05))
    level = min(flat, ramp(left, 0.5, 0.2)) * (1.0 - _accuracy_gain(run))
    values = {
        "first": first, "first_step": int(validation.steps[0]), "minimum": validation.minimum,
        "minimum_step": validation.minimum_step, "last": validation.final, "training_left": left, "improved": better,
        "training_then": then, "training_last": now,
    }  # fmt: skip
    text = (
        f"Validation loss {_course(better, level >= 0.5)} its first evaluation ({num4(first)} at "
        f"{moment(run, int(validation.steps[0]))}); training loss {'fell' if now < then else 'went'} from "
        f"{num4(then)} to {num4(now)} (smoothed)."
    )
    severity: Severity = "warning" if level >= 0.8 else "info"
    return Measured(better, text, level=level, onset=int(validation.steps[0]), severity=severity, values=values)


def _course(better: float, raised: bool) -> str:
    if better <= 0:
        return "never falls below"
    return f"never falls more than {percent(better)} below" if raised else f"fell by {percent(better)} from"


def _accuracy_gain(run: Run) -> float:
    """0 to 1: the validation accuracy rises from its first evaluation, by more than its scatter."""
    accuracy = accuracy_of(run, "validation").values
    if len(accuracy) < 3:
        return 0.0
    scatter = float(np.median(np.abs(np.diff(accuracy))))
    gain = float(np.median(accuracy[len(accuracy) // 2 :]) - accuracy[0])
    return ramp(gain, max(0.01, scatter), max(0.03, 2 * scatter))


@sign("validation-still-improving", questions.VALIDATION, "dynamics", severity="info", end="step")
def validation_still_improving(run: Run) -> Measured | str:
    """What twice the training would bring on validation, by its fall over the second half of the run.

    The training loss of a model that memorises falls for ever; only a validation loss that is still falling shows
    that more training would help. A fall of 3 % is little, of 15 % is not; it counts where the evaluations at the
    end are the best, and in proportion to the learning rate that is left: a schedule that has run out was not
    stopped early.
    """

    loss = validation_loss(run)
    if len(loss) < FEWEST_EVALUATIONS:
        return f"fewer than {FEWEST_EVALUATIONS} validation losses were recorded"
    if adversarial(run):
        return "the losses of adversarial networks do not fall"
    if loss.values.min() <= 0:
        return "a validation loss that is not positive has no ratios"
    late = loss.ratios[len(loss) // 2 - 1 :]
    course = trend(np.arange(len(late), dtype=np.float64), late)
    gain = 1.0 - float(np.exp(course.change))
    # The best of the last evaluations must not have been bettered before.
    end = max(1, len(loss) // 5)
    at_best = bool(loss.values[-end:].min() <= loss.values.min())
    z = min(course.z, size_z(course, np.arange(len(late), dtype=np.float64), late))
    falls = course.change < 0 and z <= -1.7 and late[-1] < late[0]
    level = ramp(gain * rate_left(run), 0.03, 0.15) if at_best and falls else 0.0
    fell = f"fell by {percent(gain)}" if gain >= 0 else f"rose by {percent(-gain)}"
    text = f"Validation loss {fell} over the second half of the run"
    text += " and was at its minimum at the end." if level >= 0.5 else "."
    values = {"gain": gain, "z": z, "at_best": at_best}
    return Measured(gain, text, level=level, onset=int(loss.steps[-1]), values=values)
