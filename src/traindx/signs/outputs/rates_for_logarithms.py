"""Whether poisson_nll_loss, which by default takes the logarithm of a rate, is given rates.

Rates are made positive by softplus, exp or ReLU; a logarithm is not. With `log_input=True` the loss of such an output
is lowest where its exponential, not itself, is the count.
"""

from __future__ import annotations

from ...record import Run
from .. import checks, questions
from .._base import Missing, Sign, if_raised, place
from .._output import made_by

ID = "rates-for-logarithms"
QUESTION = questions.LOSS_INPUTS
SHOWS = "fault"
CHECK = checks.LOSS_INPUTS
POSITIVE = ("softplus", "exp", "relu", "abs", "square", "pow")


def measure(run: Run) -> Sign | Missing:
    calls = [call for call in run.training_losses if isinstance(call.facts.get("log_input"), bool)]
    if not calls:
        return Missing(ID, "poisson_nll_loss was not called")
    wrong = [call for call in calls if call.facts["log_input"] and made_by(run, call) in POSITIVE]
    call = (wrong or calls)[0]
    level = 1.0 if wrong and (call.input.min or 0.0) >= 0.0 else 0.0
    words = (
        f"{call.fn} expects log-rates (log_input=True) and gets the output of {made_by(run, call)}, which is never "
        "negative"
        if level
        else f"{call.fn} gets inputs of the kind it expects"
    )
    return Sign(
        ID, level, level, words + place(call.site), onset=0 if level else None, severity=if_raised(level, "critical")
    )
