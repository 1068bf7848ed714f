"""The size of the steps against the weights: their ratio, in the eighth of the looks where it is largest.

About 1e-3 is ordinary for large networks; small ones, with few steps to go, train well at 1e-2 to 4e-2; at 1e-1 a
tensor is replaced every ten steps. Steps that are too large soon blow the weights up, and the ratio falls again: the
median over the run would miss them, and a single look would catch every first step of Adam.
"""

from __future__ import annotations

from ...record import Run
from ...wording import num
from .. import questions
from .._base import Missing, Sign, if_raised, ramp
from .._params import fits_a_network
from .._ratios import update_ratios
from .._tables import bins, first_step_above, median

ID = "update-ratio-high"
QUESTION = questions.STEPS
SHOWS = "dynamics"
CORE = True


def measure(run: Run) -> Sign | Missing:
    ratios = update_ratios(run)
    if not ratios or not fits_a_network(run):  # a number that begins near zero changes by many times its size
        return Missing(ID, "no update was measured against the weights of a network")
    ratio = max(bins(ratios.values, 8))
    level = ramp(ratio, 0.1, 0.6, log=True)
    return Sign(
        ID,
        ratio,
        level,
        f"update/weight ratio is {num(ratio)} at its highest and {num(median(ratios.values) or 0.0)} in the median of "
        f"{len(ratios.values)} steps checked (~1e-3 is typical)",
        onset=first_step_above(ratios, 0.1) if level >= 0.5 else None,
        severity=if_raised(level, "warning"),
        values={"largest": ratio, "median": median(ratios.values), "looks": len(ratios)},
    )
