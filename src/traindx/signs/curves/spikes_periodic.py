"""How evenly spikes of the training loss are spaced.

Spikes that come back after the same number of steps come from something that comes back: a bad batch in a fixed order,
the end of an epoch, an evaluation that leaves a mode behind. Measured by the spread of the gaps against their mean
(gaps that are whole multiples of the shortest count as even); random spikes have gaps as variable as their mean.
"""

from __future__ import annotations

import numpy as np

from ...record import Run
from .. import questions
from .._base import Missing, Severity, Sign, ramp
from .._curve import training_loss
from .._excursions import standouts

ID = "spikes-periodic"
QUESTION = questions.FALLS
SHOWS = "dynamics"
FEWEST = 5  # four gaps that agree to a tenth happen by chance once in several hundred times


def measure(run: Run) -> Sign | Missing:
    loss = training_loss(run)
    if len(loss) < 40:
        return Missing(ID, "fewer than forty training losses were recorded")
    starts = loss.steps[standouts(loss)].astype(np.float64)
    if len(starts) < FEWEST:
        text = f"The training loss has {len(starts)} spikes, too few for a period."
        return Sign(ID, 0.0, 0.0, text, values={"spikes": len(starts)})
    gaps = np.diff(starts)
    period = float(np.median(gaps[gaps <= 1.5 * gaps.min()]))
    multiples = np.maximum(1, np.round(gaps / period))
    # A period of a few points fits anything: only gaps well above the spacing can be even by more than chance.
    off = float(np.mean(np.abs(gaps / period - multiples)))
    long_enough = period >= 4 * loss.spacing and float(np.median(multiples)) <= 3
    level = ramp(off, 0.15, 0.05) if long_enough else 0.0
    text = f"{len(starts)} spikes recur every {period:.0f} steps, off by {100 * off:.2g} % of that on average."
    if level < 0.5:
        text = f"The {len(starts)} spikes of the training loss have no common period."
    onset = int(starts[0]) if level >= 0.5 else None
    severity: Severity = "warning" if level >= 0.5 else "info"
    return Sign(ID, period, level, text, onset, severity, {"spikes": len(starts), "period": period, "off": off})
