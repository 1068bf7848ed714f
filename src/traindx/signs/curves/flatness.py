"""Losses that have stopped moving: how long, at what level, with how much noise."""

from __future__ import annotations

import numpy as np

from ...record import Run
from ...wording import num4, percent, plus_minus
from .. import questions
from .._adversaries import in_balance
from .._base import Measured, Severity, ramp, sign
from .._chance import chance_level
from .._excuses import networks_compete
from .._flat import FlatTail, flat_tail
from .._rate import learning_rate
from .._trend import trend
from ..curve import (
    Curve,
    accuracy_of,
    adversarial,
    curve_of,
    is_excerpt,
    moment,
    spread_of_differences,
    training_loss,
    validation_loss,
)

ALL_WRONG = -0.95  # error rates are negated when a log is read
LONG = (0.3, 0.5)  # of the run without progress
LEFT = (0.45, 0.6)  # of the first loss, or of chance
ACCURACY = (0.75, 0.6)
SUSPICION = 0.5  # the most that noise of the training loss alone shows
FEWEST_VALIDATIONS = 5


@sign(
    "loss-plateau",
    questions.FALLS,
    "outcome",
    doubt_from=0.8,
    needs_time=True,
    end="step",
    unless={networks_compete: 0.4, in_balance: 0.0},
)
def loss_plateau(run: Run) -> Measured | str:
    """How long the last stretch without progress is, and how much of the starting loss is left there.

    Progress is measured against the level and the noise (`_flat.py`). A flat end is normal once the learning rate
    has run out, so only the stretch where the learning rate was at least a tenth of its peak counts. Without the
    chance level, a curve cannot show whether the task allows a lower loss: from a log alone, a level below a third
    of the first loss counts as learned.
    """

    loss = training_loss(run)
    if len(loss) < 8:
        return "fewer than eight training losses were recorded"
    tail = flat_tail(loss)
    if tail is None:
        return Measured(0.0, _moving(loss), severity="info", values={"last": loss.final, "smoothed_last": loss.last})
    share = _share_with_rate(run, loss, tail)
    left = _share_of_tail(run, loss, tail)
    values = {"share": share, "left": left, "level": tail.level, "fall": tail.fall, "points": tail.points}
    values["of_chance"] = _known(run)
    flat = f"Training loss has stayed at {num4(tail.level)} (median) since {moment(run, tail.step)}"
    if is_excerpt(run):
        # An excerpt: flat, but nobody knows where it came from.
        level = min(0.5, ramp(tail.share, 0.3, 0.6)) if tail.points >= 10 else 0.0
        return Measured(
            share, f"{flat}, the whole of this excerpt.", level=level, onset=tail.step, severity="info", values=values
        )
    certain = min(ramp(share, 0.3, 0.5), ramp(tail.points, 5, 15), _progressed(loss, tail), _sure(loss, tail))
    level = min(certain, ramp(left, 0.35, 0.6))
    if loss.logarithmic and tail.level > 1 and share >= 0.5:
        # Decades down, then flat at a number no loss is made to end at: worth a note, not more.
        level = max(level, 0.5)
    text = f"{flat} ({percent(share)} of the run), {percent(left)} of {'chance' if _known(run) else 'its first value'}."
    severity: Severity = "warning" if level >= 0.8 else "info"
    return Measured(share, text, level=level, onset=tail.step, severity=severity, values=values)


def _moving(loss: Curve) -> str:
    quarter = loss.values[len(loss) * 3 // 4 :]
    few = max(1, len(quarter) // 3)
    began, ended = float(np.median(quarter[:few])), float(np.median(quarter[-few:]))
    return f"Training loss goes from {num4(began)} to {num4(ended)} (smoothed) in the last quarter of the run."


def _known(run: Run) -> bool:
    return chance_level(run) is not None or _all_wrong(run)


def _share_with_rate(run: Run, loss: Curve, tail: FlatTail) -> float:
    """The flat stretch as a share of the run, counted only where the learning rate had not run out."""
    rate = learning_rate(run)
    if rate is None:
        return tail.share
    flat = loss.steps >= tail.step
    return float(np.mean(flat & (rate.share_at(loss.steps.astype(np.float64)) >= 0.1)))


def _share_of_tail(run: Run, loss: Curve, tail: FlatTail) -> float:
    chance = chance_level(run)
    if _all_wrong(run):
        return 1.0
    reference = chance.loss if chance is not None else loss.first
    return float(np.clip(tail.level / reference, 0.0, 10.0)) if reference > 0 else 0.0


def _all_wrong(run: Run) -> bool:
    """Whether a rate of errors stays at its worst: nothing of use was learned, however far the loss has fallen."""
    rates = [curve_of(run.series(f"metric/validation/{word}")).values for word in ("wer", "cer")]
    return any(len(rate) >= 5 and float(np.max(rate)) <= ALL_WRONG for rate in rates)


def _progressed(loss: Curve, tail: FlatTail) -> float:
    """Earlier progress, 0 to 1: the stretch does not reach back to the start, or the first value lay well above it."""
    least = 0.01 if tail.share < 0.9 else 0.03
    noise = 3 * tail.noise * abs(tail.level)
    if loss.first <= tail.level:
        return 0.0
    gross = max(2 * least * abs(loss.first), noise * 5 / 3)
    return ramp(loss.first - tail.level, max(least * abs(loss.first), noise), gross)


def _sure(loss: Curve, tail: FlatTail) -> float:
    """0 to 1: noise must not leave room for progress, in itself or against what had been gained before."""
    most = tail.fall + 2 * tail.error
    gained = (loss.first - tail.level) / (abs(loss.first) or 1.0)
    against_gain = ramp(most / gained, 0.4, 0.2) * ramp(gained, 0.15, 0.25) if gained > 0 else 0.0
    return max(ramp(most, 0.03, 0.015), against_gain)


@sign("settled-poorly", questions.FALLS, "dynamics", needs_time=True, end="step")
def settled_poorly(run: Run) -> Measured | str:
    """Whether training and validation have both settled, close together, at a level far from what there was to gain.

    Settled: no progress over at least the last two fifths of the run (`_flat.py`). Close: the validation loss lies
    within a fifth of the training loss, the accuracies within a few points. Poor: more than half of the first loss
    is left, or the training accuracy is below two thirds. The learning rate must not have run out.
    """

    loss, validation = training_loss(run), validation_loss(run)
    # Where only one accuracy is known it stands for both: a level that is settled poorly has no gap.
    # From inside a run that of training is known of single batches only.
    phases = ("validation", "train") if run.kind == "observed" else ("train", "validation")
    phase = next((p for p in phases if run.series(f"accuracy/{p}")), "train")
    accuracy = accuracy_of(run, phase)
    judged = loss if len(loss) >= 8 else Curve(accuracy.steps, 1.0 - accuracy.values) if len(accuracy) >= 8 else None
    if judged is None or adversarial(run) or is_excerpt(run):
        return "the course of a training loss or accuracy from its start was not recorded"
    if run.kind == "observed" and (chance_level(run) is None or not len(validation)):
        return "what there was to gain, or how validation fares, was not seen"
    tail = flat_tail(judged)
    if tail is None:
        return Measured(
            0.0, f"Training loss has not settled; it ends at {num4(judged.last)} (smoothed).", severity="info"
        )
    near = _near(run, judged, validation)
    left = _share_of_level(run, judged, tail.level) if judged is loss and loss.first > 0 else 0.0
    poor = ramp(left, *LEFT)
    reached = accuracy.last if len(accuracy) >= 3 else None
    if reached is not None:
        poor = max(min(poor, ramp(reached, 0.85, 0.65)), ramp(reached, *ACCURACY))
    level = float(min(ramp(tail.share, *LONG), ramp(tail.points, 5, 10), near, poor, _rate_left(run, tail.step)))
    values = {"level": tail.level, "share": tail.share, "left": left, "accuracy": reached}
    values["of_chance"] = chance_level(run) is not None
    shown = (
        f", {'training' if phase == 'train' else 'validation'} accuracy at {percent(reached)}"
        if reached is not None
        else ""
    )
    gap = f"; validation is close to it ({num4(validation.last)})" if len(validation) else ""
    what = "Training loss" if judged is loss else "Training error"
    text = f"{what} has stayed at {num4(tail.level)} (median) since {moment(run, tail.step)}{shown}{gap}."
    return Measured(left, text, level=level, onset=tail.step, values=values)


def _near(run: Run, judged: Curve, validation: Curve) -> float:
    """0 to 1: validation is not much worse than training. Without validation the gap is not known."""
    training, evaluated = accuracy_of(run, "train"), accuracy_of(run, "validation")
    found = []
    if len(validation) >= 3 and judged.last > 0 and len(training_loss(run)):
        found.append(ramp(validation.last / judged.last, 1.4, 1.15))
    if len(training) >= 3 and len(evaluated) >= 3:
        found.append(ramp(training.last - evaluated.last, 0.12, 0.06))
    return float(np.max(found)) if found else 0.0


def _share_of_level(run: Run, loss: Curve, level: float) -> float:
    chance = chance_level(run)
    reference = max(chance.loss, 1e-300) if chance is not None else loss.first
    return float(np.clip(level / reference, 0.0, 10.0))


def _rate_left(run: Run, since: int) -> float:
    """0 to 1: the learning rate was still worth something after the loss had settled."""
    rate = learning_rate(run)
    if rate is None:
        return 1.0
    later = rate.curve.values[rate.curve.steps >= since]
    return (
        ramp(float(later[: max(1, len(later) // 2)].mean()) / rate.peak, 0.01, 0.1) if len(later) and rate.peak else 1.0
    )


@sign("late-noise-floor", questions.FALLS, "dynamics", severity="info", end="step")
def late_noise_floor(run: Run) -> Measured | str:
    """How noisy a late loss without progress is where the learning rate was never lowered.

    At a constant learning rate the loss ends in a noise ball whose size follows the learning rate: over the second
    half no significant fall, and swings that are large against the level and against what is left of the trend. A
    tenth of the level is ordinary batch noise, two fifths is not; but small batches and a low loss give as much at
    any learning rate, so from the training loss alone this stays a suspicion. A validation loss is taken over the
    same samples every time: where it swings, so do the weights.
    """

    loss, rate = training_loss(run), learning_rate(run)
    if len(loss) < 30:
        return "fewer than thirty training losses were recorded"
    if rate is None:
        return "the learning rate was not recorded"
    late = Curve(loss.steps[len(loss) // 2 :], loss.values[len(loss) // 2 :])
    course = trend(*late.binned_ratios)
    noise, level_now = spread_of_differences(late.ratios), float(np.median(late.values))
    kept = rate.last_share >= 0.9
    settled = kept and not course.falls and not course.rises and loss.first > level_now
    level = min(ramp(noise, 0.1, 0.4), ramp(abs(course.change), noise, 0.5 * noise)) if settled and noise > 0 else 0.0
    swings = _validation_noise(run, float(late.steps[0]))
    level = min(level, SUSPICION if swings is None else ramp(swings, 0.03, 0.15))
    text = (
        f"Over the second half of the run training loss has a median of {num4(level_now)} and noise of "
        f"{plus_minus(min(noise, 9.99))}; the learning rate ends at {percent(rate.last_share)} of its peak."
    )
    if swings is not None and level >= 0.5:
        text += f" Validation loss swings by {plus_minus(min(swings, 9.99))} too."
    values = {
        "noise": noise, "level": level_now, "change": course.change, "rate_share": rate.last_share,
        "validation_noise": swings,
    }  # fmt: skip
    return Measured(noise, text, level=level, onset=int(late.steps[0]), values=values)


def _validation_noise(run: Run, since: float) -> float | None:
    """How far neighbouring validation losses lie apart, relative to their level; None where there are too few."""
    late = validation_loss(run).between(since, float("inf"))
    return spread_of_differences(late.ratios) if len(late) >= FEWEST_VALIDATIONS else None
