"""Whether training goes up a standard loss: backward got its negative, or the optimizer maximizes.

A minus before a likelihood or a score is how many losses are written, so only the sign against a standard loss
function counts: what backward got, over what the function returned. Where several losses are weighed against each other
(adversarial training) a negative one may be meant, and the level stays low.
"""

from __future__ import annotations

from ...record import Run
from ...wording import num
from .. import checks, questions
from .._base import Missing, Sign, if_raised, place

ID = "loss-negated"
QUESTION = questions.LOSS_INPUTS
SHOWS = "fault"
RIVAL = ("update", 3.0)
CHECK = checks.LOSS_INPUTS


def measure(run: Run) -> Sign | Missing:
    calls = [call for call in run.training_losses if call.kind and call.value_ratio is not None]
    if not calls and any(graph.get("lowers_likelihood") is True for graph in run.graphs):
        words = "the loss is the mean log-probability of the labels without a minus, so training lowers it"
        return Sign(ID, -1.0, 1.0, words, onset=0, severity="critical", values={"fn": "log_softmax by hand"})
    if not calls:
        return Missing(ID, "no standard loss function was compared with what backward got")
    settings = [group.settings.get("maximize") is True for group in run.groups]
    upward = -1.0 if settings and all(settings) else 1.0
    wrong = [call for call in calls if (call.value_ratio or 0.0) * upward < 0]
    mixed = len(calls) > 1 or len(run.entries("backward_sites")) > 1 or len(run.entries("optimizers")) > 1
    level = 0.0 if not wrong else 0.3 if mixed else 1.0
    call = (wrong or calls)[0]
    ratio = (call.value_ratio or 0.0) * upward
    return Sign(
        ID,
        ratio,
        level,
        f"training moves {call.fn} {'up' if wrong else 'down'}: backward got {num(call.value_ratio or 0.0)} times its "
        f"value{' and the optimizer has maximize=True' if upward < 0 else ''}{place(call.site)}",
        onset=0 if level >= 0.5 else None,
        severity=if_raised(level, "critical"),
        values={"ratio": ratio, "fn": call.fn, "maximize": upward < 0},
    )
