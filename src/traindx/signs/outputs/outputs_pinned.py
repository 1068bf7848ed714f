"""Outputs that sit at the bound of the last activation late in the run, for a regression."""

from __future__ import annotations

from ...record import Run
from ...record.losses import REGRESSION
from ...wording import percent
from .. import questions
from .._base import Missing, Sign, if_raised, ramp
from .._modules import RELU_LIKE, SQUASHING, output_module
from .._tables import layer_medians

ID = "outputs-pinned"
QUESTION = questions.LOSS_INPUTS
SHOWS = "dynamics"
END = "deep"


def measure(run: Run) -> Sign | Missing:
    calls = [call for call in run.training_losses if call.kind in REGRESSION]
    last = output_module(run.modules, (*SQUASHING, *RELU_LIKE))
    if not calls or last is None:
        return Missing(ID, "no regression whose output comes from a bounded activation was seen")
    table = run.layers("act_zero" if last.type in RELU_LIKE else "act_saturated")
    share = layer_medians(table, 0.75).get(last.name)
    if share is None:
        return Missing(ID, "the output activation was not looked at")
    level = ramp(share, 0.6, 0.95)
    return Sign(
        ID,
        share,
        level,
        f"{percent(share)} of the outputs of `{last.name or last.type}` are at the limit of its range late in the run",
        severity=if_raised(level, "warning"),
        values={"module": last.name, "type": last.type},
    )
