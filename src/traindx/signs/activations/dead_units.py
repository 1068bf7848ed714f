"""Units that were zero for every sample of all batches looked at: the share in the median and the worst layer.

The share starts high and falls as batches are added, so it takes at least five measurements, and the last one counts. A
tenth to a third of dead units is ordinary in wide networks; a layer that is entirely dead passes nothing on.
"""

from __future__ import annotations

import numpy as np

from ...record import Run
from ...wording import counted, percent
from .. import questions
from .._base import Missing, Sign, if_raised, ramp
from .._tables import median

ID = "dead-units"
QUESTION = questions.FLOW
SHOWS = "condition"
RIVAL = ("signal", 2.0)
CORE = True
REMEDY = "Lower the learning rate, use LeakyReLU or GELU, check biases and input scale."
FEWEST_LOOKS = 5


def measure(run: Run) -> Sign | Missing:
    table = run.layers("act_dead")
    if len(table) < FEWEST_LOOKS:
        return Missing(ID, f"ReLU-like layers were looked at fewer than {FEWEST_LOOKS} times")
    order = np.argsort(table.steps, kind="stable")
    steps, rows = table.steps[order], table.values[order]
    last = {
        name: float(rows[np.isfinite(rows[:, i]), i][-1]) for i, name in enumerate(table.layers) if _any(rows[:, i])
    }
    middle = median(last.values())
    if middle is None:
        return Missing(ID, "no unit was followed")
    worst = max(last, key=lambda name: last[name])
    level = max(ramp(middle, 0.3, 0.8), ramp(last[worst], 0.6, 0.98))
    track = rows[:, table.layers.index(worst)]
    above = np.flatnonzero(track > 0.5)
    return Sign(
        ID,
        middle,
        level,
        f"layer `{worst}`: {percent(last[worst])} of the units are dead (zero for every sample checked; median of "
        f"{counted(len(last), 'layer')} {percent(middle)}; below 50 % is common)",
        onset=int(steps[above[0]]) if len(above) and level >= 0.5 else None,
        severity=if_raised(level, "critical"),
        values={"median": middle, "worst": last[worst], "layer": worst},
    )


def _any(column: np.ndarray[tuple[int], np.dtype[np.float64]]) -> bool:
    return bool(np.isfinite(column).any())
