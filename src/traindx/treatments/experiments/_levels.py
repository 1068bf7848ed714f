"""The final level of a curve, for experiments that compare runs."""

from __future__ import annotations

import numpy as np

from ...record import Run

TAIL = 0.25  # the share of the steps, at the end, that is measured


def final(run: Run, name: str = "loss/train") -> tuple[float, float] | None:
    """The mean of the last quarter of a series and its standard error; None without finite values."""
    values = run.series(name).finite.values
    if not len(values):
        return None
    tail = values[-max(1, int(TAIL * len(values))) :]
    return float(np.mean(tail)), float(np.std(tail) / np.sqrt(len(tail)))
