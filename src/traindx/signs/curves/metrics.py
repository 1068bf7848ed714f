"""What accuracy, R2, F1 and their like say where a loss says less."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from ...record import Run
from ...record.run import NEAR_THE_END
from ...record.types import FloatArray
from ...wording import num, num4, percent, sentence
from .. import questions
from .._base import Measured, Severity, Unless, ramp, sign
from .._chance import accuracy_curve, chance_accuracy, chance_level, classes_by_accuracy, stated_classes
from .._excuses import below_chance, cut_short
from .._fall import accuracy_learns
from ..curve import Curve, accuracy_of, curve_of, robust_spread, score_name, training_loss, validation_loss
from ._advice import overfit_a_batch

GUESSED = "one of"  # how the source of a chance level begins that the accuracies themselves suggest
FEWEST_R2 = 5
NOTHING = (0.1, 0.03)  # of the variance
TELLING = ("f1", "recall", "precision", "mcc", "kappa")
FEWEST = 4
TOO_NOISY = (0.05, 0.02)  # the error of the mean accuracy: a batch of one sample is either right or wrong
EXACT = 6  # evaluations in which a model that learns does not repeat one accuracy to the last digit
FEWEST_SCORES = 5
RISEN = (4.0, 2.0)  # standard errors
BEYOND = 99.0  # of them, where there is no scatter
ROUNDED = 1e-3  # of what a log prints
SAME = 0.005  # accuracies that one constant answer gives differ only by what is drawn into each evaluation


@sign(
    "accuracy-at-chance",
    questions.FALLS,
    "outcome",
    bad_from=0.8,
    doubt_from=0.5,
    needs_time=True,
    end="step",
    do_now=overfit_a_batch,
    unless={below_chance: 0.7, cut_short: 0.7},
)
def accuracy_at_chance(run: Run) -> Measured | str:
    """Whether the accuracy stays at what guessing among balanced classes gives.

    The number of classes comes from the record's settings or labels; else it is the whole number of which the
    accuracies are one in k, all of them. A loss far above the loss at chance (ln k) is reported beside it: the
    outputs are confident and wrong, or far out of scale.
    """

    accuracy = accuracy_curve(run)
    if len(accuracy) < 3:
        return "fewer than three accuracies were recorded"
    share, source = _chance(run)
    if share is None:
        return "the number of classes is not known, and the accuracies are not one in k"
    if accuracy.steps[-1] < NEAR_THE_END * run.steps and run.kind == "observed":
        return f"the last accuracy, at step {accuracy.final_step} of {run.steps}, is not that of the end of the run"
    best, last = float(accuracy.values.max()), accuracy.final
    level = ramp((accuracy.last - share) / (1 - share), 0.1, 0.03) if share < 1 else 0.0
    if level:
        noise = math.sqrt(float(np.mean(np.diff(accuracy.values) ** 2)) / 2 / len(accuracy)) / (1 - share)
        if noise >= TOO_NOISY[0]:
            return "the accuracies are those of few samples, and scatter too much to tell"
        level *= ramp(noise, *TOO_NOISY)
    if source.startswith(GUESSED):  # an accuracy that has risen to one in k did so by learning
        level *= ramp(accuracy_learns(run), 6.0, 3.0)
    loss = training_loss(run) if len(training_loss(run)) else validation_loss(run)
    level_of_chance = chance_level(run)
    guessing = level_of_chance.loss if level_of_chance is not None else math.log(1 / share) if 0 < share < 1 else 0.0
    over = loss.last / guessing if len(loss) and guessing > 0 else None
    values = {"last": last, "best": best, "chance": share, "loss_over_chance": over, "points": len(accuracy)}
    text = f"Accuracy ends at {percent(last)} ({percent(best)} at best); chance is {percent(share)} ({source})"
    if over is not None and over > 2 and level >= 0.5:
        text += f"; the loss of {num4(loss.last)} is {num4(over)} times the loss at chance"
    severity: Severity = "critical" if level >= 0.8 and len(accuracy) >= 5 else "warning"
    half = None
    if level_of_chance is not None and len(loss) >= FEWEST and loss.last < level_of_chance.loss / 2:
        half = Unless(1.0, "the loss is less than half that of chance, which a common class hides", 0.4)
    onset = int(accuracy.steps[0])
    return Measured(last, f"{text}.", level=level, onset=onset, severity=severity, values=values, unless=half)


def _chance(run: Run) -> tuple[float | None, str]:
    known = chance_accuracy(run)
    if known is not None:
        return known, "the most common class"
    if stated := stated_classes(run):
        return 1 / stated[1], f"{stated[0]} {stated[1]:g}"
    classes = classes_by_accuracy(run)
    return (None, "") if classes is None else (1 / classes, f"{GUESSED} {classes} balanced classes")


@sign("r2-at-zero", questions.FALLS, "dynamics", severity="critical", needs_time=True, end="step")
def r2_at_zero(run: Run) -> Measured | str:
    """Whether the explained variance (R2) stays at zero: the model predicts the mean of the targets, whatever the loss
    did.

    A first fall of the loss to the variance of the targets is the bias that was learned; R2 at zero says that
    nothing else was. From 3 % explained on something was learned; 10 % is beyond doubt.
    """

    curves = [curve_of(run.series(f"metric/{phase}/r2")) for phase in ("train", "validation")]
    curve = next((found for found in curves if len(found) >= FEWEST_R2), None)
    if curve is None:
        return "no R2 was recorded at five evaluations"
    late = curve.values[len(curve) // 2 :]
    usual, best = float(np.median(late)), float(curve.values.max())
    level = min(ramp(abs(usual), *NOTHING), ramp(float(np.quantile(curve.values, 0.9)), 2 * NOTHING[0], NOTHING[0]))
    text = f"R2 is {num(usual)} over the second half of the run (median), {num(best)} at best."
    if level >= 0.5:
        text = f"R2 stays at zero ({num(usual)}, at best {num(best)}): the model predicts the mean of the targets."
    onset = int(curve.steps[0])
    return Measured(usual, text, level=level, onset=onset, values={"median": usual, "best": best})


@sign("score-not-rising", questions.FALLS, "outcome", severity="info", doubt_from=0.5, end="step")
def score_not_rising(run: Run) -> Measured | str:
    """Whether the scores of a log without any loss end no better than they began, against their own scatter.

    What a score could reach is not known, so one that stands still is no fault: it may have begun at the goal. But
    nothing shows that the run learned.
    """

    if run.series("loss/train") or run.series("loss/validation"):
        return "the loss tells more"
    names = [name for name in run.series_names if name.startswith(("accuracy/", "metric/"))]
    curves = {name: curve for name in names if len(curve := curve_of(run.series(name))) >= FEWEST_SCORES}
    if not curves:
        return "no score was recorded at five evaluations"
    rises = {name: _rise(curve) for name, curve in curves.items()}
    name = max(rises, key=lambda one: rises[one])
    z, curve = rises[name], curves[name]
    began, ended = num4(abs(float(curve.values[0]))), num4(abs(curve.final))
    word = "a rise" if z > RISEN[0] else "no clear rise"
    text = f"The {score_name(name)} began at {began} and ends at {ended} ({word}: z = {z:.1f})."
    return Measured(z, text, level=ramp(z, *RISEN), values={"began": float(curve.values[0]), "last": curve.final})


def _rise(curve: Curve) -> float:
    """The last fifth above the first, in standard errors of such medians."""
    few = max(2, len(curve) // 5)
    rise = float(np.median(curve.values[-few:]) - np.median(curve.values[:few]))
    noise = robust_spread(np.diff(curve.values)) * math.sqrt(1.0 / few)
    return rise / noise if noise > 0 else math.copysign(BEYOND, rise) if rise else 0.0


@sign("one-class-metrics", questions.FALLS, "dynamics", severity="critical", end="step")
def one_class_metrics(run: Run) -> Measured | str:
    """Whether an accuracy stands still at one number while F1, recall or precision show that nothing else was learned.

    A model that always answers one class has an accuracy equal to that class's share, the same at every evaluation,
    and a recall (and F1) of zero for the other one: exactly constant accuracy with a metric at zero is proof. A
    macro recall of one in k with constant accuracy means the same.
    """

    accuracy = accuracy_of(run, "validation")
    accuracy = accuracy if len(accuracy) >= FEWEST else accuracy_of(run, "train")
    metrics = {
        word: curve
        for word in TELLING
        for phase in ("validation", "train")
        if len(curve := curve_of(run.series(f"metric/{phase}/{word}"))) >= FEWEST
    }
    if not metrics:
        return "no F1, recall or precision was recorded at four evaluations"
    half = {word: curve.values[len(curve) // 2 :] for word, curve in metrics.items()}
    zero = [word for word, values in half.items() if float(np.max(np.abs(values))) <= 0.01]
    late = accuracy.values[len(accuracy) // 2 :]
    constant = len(late) >= 2 and float(np.ptp(late)) <= SAME
    one_in = _one_in(half, accuracy)
    level = 1.0 if (zero and constant) or one_in else 0.8 if len(zero) >= 2 else 0.0
    values = {"zero": zero, "accuracy": float(late[-1]) if len(late) else None}
    if level < 0.5:
        shown = ", ".join(f"{word} {num4(float(values_[-1]))}" for word, values_ in half.items())
        return Measured(0.0, f"At the last evaluation: {shown}.", level=level, values=values)
    if not zero:
        text = (
            f"Accuracy is {percent(float(late[-1]))} at each of the last {len(late)} evaluations, and recall stays at "
            f"one in {one_in}: every answer is the same class."
        )
        return Measured(1.0, text, level=level, onset=int(accuracy.steps[0]), values=values)
    beside = f" while accuracy stays at {percent(float(late[-1]))}" if constant else ""
    names, verb = " and ".join(zero), "is" if len(zero) == 1 else "are"
    text = sentence(f"{names} {verb} 0 over the last {len(half[zero[0]])} evaluations{beside}.")
    return Measured(1.0, text, level=level, onset=int(metrics[zero[0]].steps[0]), values=values)


def _one_in(half: Mapping[str, FloatArray], accuracy: Curve) -> int:
    """The number of classes, where accuracy never changes and the macro recall is one in that many; else 0."""
    recall = half.get("recall")
    if recall is None or len(accuracy) < EXACT or float(np.ptp(accuracy.values[len(accuracy) // 2 :])) > 0.0:
        return 0
    share = float(np.median(recall))
    classes = round(1.0 / share) if share > 0 else 0
    same = float(np.ptp(recall)) == 0.0 and classes >= 3 and abs(share - 1.0 / classes) <= ROUNDED
    return classes if same else 0
