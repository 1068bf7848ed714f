"""Whether no optimizer decays weights and the loss has no penalty on them: only the gradient then shrinks weights."""

from __future__ import annotations

from ...record import Run
from ...record.values import number
from .. import questions
from .._base import Missing, Sign

ID = "decay-absent"
QUESTION = questions.STEPS
SHOWS = "setting"


def measure(run: Run) -> Sign | Missing:
    decays = [number(group.settings.get("weight_decay")) for group in run.groups]
    if not decays or None in decays or not run.graphs:
        return Missing(ID, "the weight decay of an optimizer, or the graph behind the loss, is not known")
    penalised = any(number(graph.get("penalised")) for graph in run.graphs)
    none = not any(decays) and not penalised
    words = (
        "weight decay is 0 and the loss has no penalty on the weights"
        if none
        else "the weights are decayed or penalised"
    )
    return Sign(ID, float(none), float(none), words)
