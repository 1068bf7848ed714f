"""Few updates in all: a few dozen teach a network little, however well each of them is made.

Small tasks take some hundred; below fifty hardly any network that starts at random has arrived. Optimizers that search
along each direction do many evaluations for one update and are left out.
"""

from __future__ import annotations

from ...record import Run
from ...wording import counted
from .. import questions
from .._base import Missing, Sign, ramp
from .._optimizers import needs_whole_set
from .._params import fits_a_network

ID = "few-updates"
QUESTION = questions.FALLS
SHOWS = "dynamics"
END = "step"


def measure(run: Run) -> Sign | Missing:
    if run.kind != "observed" or run.steps <= 0:
        return Missing(ID, "updates were not counted: the rows of a log may be epochs")
    if needs_whole_set(run) or not fits_a_network(run):
        return Missing(ID, "the optimizer runs a line search, or no network is trained")
    level = ramp(run.steps, 150.0, 50.0, log=True)
    return Sign(
        ID,
        run.steps,
        level,
        f"the run made {counted(run.steps, 'update')} (hundreds are typical)",
        values={"steps": run.steps},
    )
