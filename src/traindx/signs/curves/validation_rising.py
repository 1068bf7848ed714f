"""How far the validation loss ends above its minimum while the training loss went on falling.

The rise is the smoothed level at the end against the lowest smoothed level (`_rise.py`), in units of the noise of the
evaluations; 3 % is where it begins to count. The text gives the raw minimum and the last value, as the record holds
them. Where the training loss rose too, both diverge, and that is loss-diverged's business. The validation accuracy
since then is told beside it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...record import Run
from ...wording import change, num4, percent
from .. import questions
from .._base import Missing, Severity, Sign, ramp
from .._rise import Rise, rise_of
from .._trend import trend
from .._validation import training_at
from ..curve import Curve, curve_of, moment, training_loss, validation_loss

ID = "validation-rising"
QUESTION = questions.VALIDATION
SHOWS = "outcome"
END = "step"
CORE = True
BAD_FROM = 0.9
DOUBT_FROM = 0.5
TYPICAL_NOISE = 0.015  # of one evaluation, relative; the prior where few evaluations show little of their own
SMALL, CLEAR = 0.02, 0.04  # relative rise; 3 % is half way
# Of an observed run much else is known, and a few percent on a small validation set are no verdict.
CLEARLY, SLIGHT = 0.1, 0.85


def measure(run: Run) -> Sign | Missing:
    validation = validation_loss(run)
    if len(validation) < 3:
        return Missing(ID, "fewer than three validation losses were recorded")
    rise = rise_of(validation, TYPICAL_NOISE)
    training, accuracy = _training(run, validation), accuracy_since_minimum(run)
    level = min(_significance(validation, rise), _size(rise), training.fell, _part_of_course(validation, rise))
    if run.kind == "observed" and rise.ratio < CLEARLY:
        level = min(level, SLIGHT)
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
        return Sign(ID, above, level, f"Validation loss ends {ends}{scatter}.", None, "info", values)
    text = (
        f"Validation loss ends at {num4(last)}, {change(above)} {'' if above >= 2 else 'above '}{what}"
        f"{training.words}{accuracy.words}."
    )
    return Sign(ID, above, level, text, step, _severity(rise), values)


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


@dataclass(frozen=True)
class Beside:
    """Another series from the validation loss's minimum on; `words` continues the sentence."""

    then: float | None
    now: float | None
    words: str
    fell: float = 0.6  # 0 to 1; without a training loss to compare, half belief
    better: bool = False


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
    accuracy, validation = curve_of(run.series("accuracy/validation")), validation_loss(run)
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


def do_now(sign: Sign, run: Run) -> str:
    low, at = float(sign.values["minimum"]), int(sign.values["minimum_step"])
    return f"Keep the checkpoint of {moment(run, at)} (validation loss {num4(low)}); training on has made it worse."
