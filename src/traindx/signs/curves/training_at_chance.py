"""How close the training loss ends to the loss of predicting the same for every input.

The trivial predictor's loss follows from the loss function and the targets seen (entropy of the labels, variance of
the values), or from a number of classes in a log's settings. Within 3 % nothing was learned; a fifth below it,
something was.
"""

from __future__ import annotations

from ...record import Run
from ...wording import num4
from .. import questions
from .._base import Missing, Severity, Sign, ramp
from .._chance import chance_level, compared_loss
from ..curve import adversarial, stop

ID = "training-at-chance"
QUESTION = questions.FALLS
SHOWS = "outcome"
END = "step"
BAD_FROM = 0.9
DOUBT_FROM = 0.8
NEEDS_TIME = True


def measure(run: Run) -> Sign | Missing:
    loss, chance = compared_loss(run), chance_level(run)
    if len(loss) < 5:
        return Missing(ID, "fewer than five training losses were recorded")
    if adversarial(run):
        return Missing(ID, "the losses of adversarial networks have no chance level")
    if chance is None:
        return Missing(ID, "the loss at chance is not known for this run")
    ratio = loss.last / chance.loss
    level = ramp(abs(ratio - 1), 0.2, 0.03) if ratio < 1 else ramp(ratio, 1.5, 1.1)
    text = f"Training loss ends at {num4(loss.last)} (smoothed); chance is {num4(chance.loss)} ({chance.text})."
    severity: Severity = "critical" if level >= 0.9 else "warning" if level >= 0.5 else "info"
    onset = int(loss.steps[0]) if level >= 0.5 else None
    return Sign(ID, ratio, level, text, onset, severity, {"last": loss.last, "chance": chance.loss})


def do_now(_sign: Sign, run: Run) -> str:
    return (
        f"{stop(run)} before one batch was overfitted (traindx check): so far nothing shows that the model can learn."
    )
