"""Whether the loss falls below zero and goes on falling without slowing down.

A negative log-likelihood may well be negative, but its fall slows as it converges. Here the last third falls at
least as fast as the middle third, to well below the distance it started above zero.
"""

from __future__ import annotations

import numpy as np

from ...record import Run
from ...wording import num4
from .. import questions
from .._base import Missing, Severity, Sign, ramp
from .._trend import trend
from ..curve import BINS, in_bins, moment, training_loss

ID = "loss-negative-unbounded"
QUESTION = questions.FALLS
SHOWS = "outcome"
END = "step"
DOUBT_FROM = 0.5


def measure(run: Run) -> Sign | Missing:
    loss = training_loss(run)
    if len(loss) < 9:
        return Missing(ID, "fewer than nine training losses were recorded")
    values = {"first": loss.first, "last": loss.last}
    if loss.last >= 0:
        return Sign(ID, 0.0, 0.0, f"Training loss ends at {num4(loss.last)}, not below 0.", values=values)
    bins = in_bins(loss.values, BINS)
    third = len(bins) // 3
    middle = float(np.median(bins[third : third + 3]) - np.median(bins[2 * third - 2 : 2 * third + 1]))
    last = float(np.median(bins[2 * third : 2 * third + 3]) - np.median(bins[-3:]))
    pace = last / middle if middle > 0 else 0.0
    # A likelihood that begins near zero is soon many times as far below it: a nat is the least that counts.
    depth = -loss.last / max(abs(loss.first), 1.0)
    # A fall that slows to two thirds per third of the run converges; one that keeps its pace does not.
    falls = trend(np.arange(2.0 * third), bins[-2 * third :]).falls
    falls = falls and trend(np.arange(float(third)), bins[-third:]).falls  # noise has paces too
    level = min(ramp(pace, 0.65, 0.95), ramp(depth, 1.0, 3.0)) if last > 0 and falls else 0.0
    onset = int(loss.steps[int(np.argmax(loss.values < 0))])
    text = (
        f"Training loss falls below zero at {moment(run, onset)} and ends at {num4(loss.last)}; its last third falls "
        f"{pace:.2g} times as fast as its middle third."
    )
    severity: Severity = "critical" if level >= 0.8 else "warning" if level >= 0.5 else "info"
    return Sign(
        ID, loss.last, level, text, onset if level >= 0.5 else None, severity, values | {"pace": pace, "depth": depth}
    )
