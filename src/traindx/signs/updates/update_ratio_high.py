"""The size of the steps against the weights: the median update-to-weight ratio, over layers and over the run.

About 1e-3 is ordinary, 1e-2 is brisk, and at 1e-1 a tensor is replaced every ten steps. The median over the run keeps
a warm-up, a one-cycle peak or small networks' quick start from counting.
"""

from __future__ import annotations

from ...record import Run
from .._base import Missing, Sign, ramp
from .._ratios import update_ratios
from .._tables import first_step_above, median
from .._words import grave, num

ID = "update-ratio-high"


def measure(run: Run) -> Sign | Missing:
    ratios = update_ratios(run)
    ratio = median(ratios.values)
    if ratio is None:
        return Missing(ID, "no update was measured against its weights")
    level = ramp(ratio, 1e-2, 1e-1, log=True)
    return Sign(
        ID,
        ratio,
        level,
        f"a step typically changes weights by {num(ratio)} of their size (about 1e-3 is usual); "
        f"the largest such step by {num(ratios.values.max())}",
        onset=first_step_above(ratios, 1e-2) if level >= 0.5 else None,
        severity=grave(level, "warning"),
        values={"median": ratio, "largest": float(ratios.values.max()), "looks": len(ratios)},
    )
