"""How much of what there was to learn carries over to validation, at the end: by its loss, or by its accuracy.

This sign speaks for a run, not against one. The end counts, not the best: what was unlearned again is not learned.
"""

from __future__ import annotations

from ...record import Run
from ...wording import num4, percent
from .. import questions
from .._base import Missing, Sign, ramp
from .._chance import chance_accuracy
from .._progress import progress
from .._validation import validation_scale
from ..curve import adversarial, curve_of, validation_loss

ID = "validation-learned"
QUESTION = questions.VALIDATION
SHOWS = "success"
END = "step"
CORE = True


def measure(run: Run) -> Sign | Missing:
    loss, accuracy = validation_loss(run), curve_of(run.series("accuracy/validation"))
    if adversarial(run):
        return Missing(ID, "the losses of adversarial networks do not fall")
    found = []
    by_loss = progress(run, loss, loss.last, validation_scale(run)) if len(loss) else None
    if by_loss is not None:
        text = f"Validation loss ends at {num4(loss.last)} (smoothed); {by_loss.text}."
        found.append((by_loss.level, text, {"last": loss.last, "left": by_loss.left}))
    share = chance_accuracy(run)
    if share is not None and share < 1 and len(accuracy):
        gained = (accuracy.last - share) / (1 - share)
        text = f"Validation accuracy ends at {percent(accuracy.last)}; the most common class gives {percent(share)}."
        found.append((ramp(gained, 0.2, 0.7), text, {"accuracy": accuracy.last, "gained": gained}))
    if not found:
        return Missing(ID, "nothing was evaluated, or chance is not known")
    level, text, values = max(found, key=lambda entry: entry[0])
    return Sign(ID, level, level, text, None, "info", values)
