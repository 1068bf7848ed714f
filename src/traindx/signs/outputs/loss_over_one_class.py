"""Whether a cross-entropy chooses among a single class: it is 0, or a constant, whatever the model says. 1 or 0."""

from __future__ import annotations

from ...record import Run
from .. import checks, questions
from .._base import Missing, Sign, place

ID = "loss-over-one-class"
QUESTION = questions.LOSS_INPUTS
SHOWS = "fault"
CHECK = checks.LOSS_INPUTS


def measure(run: Run) -> Sign | Missing:
    calls = [call for call in run.training_losses if call.kind == "cross-entropy" and len(call.input.shape or ()) >= 2]
    if not calls:
        return Missing(ID, "no cross-entropy between classes was seen")
    call = min(calls, key=lambda each: (each.input.shape or (0, 0))[1])
    sizes = list(call.input.shape or ())
    alone = sizes[1] == 1
    return Sign(
        ID,
        float(sizes[1]),
        float(alone),
        f"{call.fn} gets one score per sample, shape {sizes}: with one class the loss is always zero{place(call.site)}"
        if alone
        else f"{call.fn} compares {sizes[1]} classes",
        onset=0 if alone else None,
        severity="critical" if alone else "info",
    )
