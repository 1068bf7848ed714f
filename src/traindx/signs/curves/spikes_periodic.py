"""How evenly spikes of the training loss are spaced.

Spikes that come back after the same number of steps come from something that comes back: a bad batch in a fixed order,
the end of an epoch, an evaluation that leaves a mode behind. Measured by the distance of the gaps from whole multiples
of the shortest ones, and by how often chance makes them as even.
"""

from __future__ import annotations

from ...record import Run
from .. import questions
from .._base import Missing, Severity, Sign, ramp
from .._excursions import standouts
from .._moments import period_of
from ..curve import training_loss

ID = "spikes-periodic"
QUESTION = questions.FALLS
SHOWS = "dynamics"


def measure(run: Run) -> Sign | Missing:
    loss = training_loss(run)
    if len(loss) < 40:
        return Missing(ID, "fewer than forty training losses were recorded")
    period = period_of(loss)
    if period is None:
        count = len(standouts(loss))
        text = f"Training loss has {count} spike{'' if count == 1 else 's'}, too few for a period."
        return Sign(ID, 0.0, 0.0, text, values={"spikes": count})
    level = min(ramp(period.off, 0.15, 0.05), ramp(period.p, 0.01, 0.0003, log=True)) if period.judged else 0.0
    text = f"{period.spikes} spikes recur every {period.length:.0f} steps, give or take {100 * period.off:.2g} %."
    if level < 0.5:
        text = f"The {period.spikes} spikes of the training loss have no common period."
    severity: Severity = "warning" if level >= 0.5 else "info"
    values = {"spikes": period.spikes, "period": period.length, "off": period.off, "p": period.p}
    return Sign(ID, period.length, level, text, int(period.steps[0]) if level >= 0.5 else None, severity, values)
