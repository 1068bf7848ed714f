"""Whether the accuracy stays at what guessing among balanced classes gives.

The number of classes comes from the record's settings or labels; else it is the whole number of which the accuracies
are one in k, all of them. A loss far above the loss at chance (ln k) is reported beside it: the outputs are confident
and wrong, or far out of scale.
"""

from __future__ import annotations

import math

from ...record import Run
from ...record.values import mapping, number
from ...wording import num4, percent
from .. import questions
from .._base import Missing, Severity, Sign, ramp
from .._chance import (
    CLASS_KEYS,
    accuracy_curve,
    chance_accuracy,
    chance_level,
    classes_by_accuracy,
)
from ..curve import stop, training_loss, validation_loss

ID = "accuracy-at-chance"
QUESTION = questions.FALLS
SHOWS = "outcome"
END = "step"
BAD_FROM = 0.8
DOUBT_FROM = 0.5
NEEDS_TIME = True


def measure(run: Run) -> Sign | Missing:
    accuracy = accuracy_curve(run)
    if len(accuracy) < 3:
        return Missing(ID, "fewer than three accuracies were recorded")
    share, source = _chance(run)
    if share is None:
        return Missing(ID, "the number of classes is not known, and the accuracies are not one in k")
    best, last = float(accuracy.values.max()), accuracy.final
    level = ramp((accuracy.last - share) / (1 - share), 0.1, 0.03) if share < 1 else 0.0
    loss = training_loss(run) if len(training_loss(run)) else validation_loss(run)
    level_of_chance = chance_level(run)
    guessing = level_of_chance.loss if level_of_chance is not None else math.log(1 / share) if 0 < share < 1 else 0.0
    over = loss.last / guessing if len(loss) and guessing > 0 else None
    values = {"last": last, "best": best, "chance": share, "loss_over_chance": over, "points": len(accuracy)}
    text = f"Accuracy ends at {percent(last)} ({percent(best)} at best); chance is {percent(share)} ({source})"
    if over is not None and over > 2 and level >= 0.5:
        text += f"; the loss of {num4(loss.last)} is {num4(over)} times the loss at chance"
    severity: Severity = "critical" if level >= 0.8 and len(accuracy) >= 5 else "warning" if level >= 0.5 else "info"
    return Sign(ID, last, level, f"{text}.", int(accuracy.steps[0]) if level >= 0.5 else None, severity, values)


def _chance(run: Run) -> tuple[float | None, str]:
    known = chance_accuracy(run)
    if known is not None:
        return known, "the most common class"
    config = mapping(run.fact("log").get("config"))
    for key in CLASS_KEYS:
        classes = number(config.get(key))
        if classes is not None and classes > 1:
            return 1 / classes, f"{key} {classes:g}"
    classes = classes_by_accuracy(run)
    return (None, "") if classes is None else (1 / classes, f"one of {classes} balanced classes")


def do_now(_sign: Sign, run: Run) -> str:
    return (
        f"{stop(run)} before one batch was overfitted (traindx check): so far nothing shows that the model can learn."
    )
