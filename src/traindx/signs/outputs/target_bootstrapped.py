"""Whether a regression's target is the network's own discounted output and carries gradient.

`reward + gamma * net(next).max(1)`, without `detach()` or `no_grad()`: backward then moves the target towards the
prediction as well, and the two meet where nothing was learned. Seen in the graph: a constant added to a discounted
output, with the prediction's own parameters behind it.
"""

from __future__ import annotations

from ...record import Run
from .. import questions
from .._base import Missing, Sign, if_raised, place

ID = "target-bootstrapped"
QUESTION = questions.LOSS_INPUTS
SHOWS = "fault"


def measure(run: Run) -> Sign | Missing:
    calls = [call for call in run.training_losses if call.kind in ("squared", "absolute")]
    if not calls:
        return Missing(ID, "no regression loss was seen")
    found = next((call for call in calls if call.target.facts.get("bootstrapped") is True), None)
    if found is None:
        return Sign(ID, 0.0, 0.0, "no target is a discounted output of the network that carries gradient")
    text = (
        f"the target of {found.fn} is the network's own discounted output and carries gradient{place(found.site)}: "
        "backward moves the target too"
    )
    return Sign(ID, 1.0, 1.0, text, 0, if_raised(1.0, "critical"))
