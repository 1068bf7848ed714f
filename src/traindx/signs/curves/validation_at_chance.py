"""Whether validation never gets better than chance while training does.

Chance is the trivial predictor's loss or the share of the most common class. The best evaluation counts: one that beats
chance by a tenth shows that something carries over.
"""

from __future__ import annotations

from ...record import Run
from ...wording import num4, percent
from .. import questions
from .._base import Missing, Severity, Sign, ramp
from .._chance import chance_accuracy, chance_level, compared_loss
from .._validation import validation_scale
from ..curve import curve_of, stop, validation_loss

ID = "validation-at-chance"
QUESTION = questions.VALIDATION
SHOWS = "outcome"
BAD_FROM = 0.8
DOUBT_FROM = 0.5
NEEDS_TIME = True


def measure(run: Run) -> Sign | Missing:
    chance, share = chance_level(run), chance_accuracy(run)
    loss, accuracy = validation_loss(run), curve_of(run.series("accuracy/validation"))
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
    if not levels:
        return Missing(ID, "chance is not known, or nothing was evaluated")
    level, text, values = min(levels)  # better than chance in one of them is better than chance
    learned = 0.0
    if chance is not None and len(training):
        learned = ramp(training.last / chance.loss, 0.95, 0.8)
    elif len(training) and training.first > 0:
        learned = ramp(training.last / training.first, 0.9, 0.7)
    level *= learned
    severity: Severity = "critical" if level >= 0.8 else "warning" if level >= 0.5 else "info"
    onset = int((loss if len(loss) else accuracy).steps[0]) if level >= 0.5 else None
    return Sign(ID, level, level, f"{text}.", onset, severity, values | {"training_learned": learned})


def do_now(_sign: Sign, run: Run) -> str:
    return f"{stop(run)}: what it learns does not carry over. Compare how training and validation data are prepared."
