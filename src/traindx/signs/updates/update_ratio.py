"""The size of the updates against the weights: too high, too low."""

from __future__ import annotations

from ...record import Run
from ...wording import num
from .. import questions
from .._base import Missing, Sign, SignUnit, if_raised, ramp
from .._params import fits_a_network
from .._ratios import update_ratios
from .._tables import bins, first_step_above, median

HIGH, LOW = "update-ratio-high", "update-ratio-low"


def high(run: Run) -> Sign | Missing:
    """The size of the steps against the weights: their ratio, in the eighth of the looks where it is largest.

    About 1e-3 is ordinary for large networks; small ones, with few steps to go, train well at 1e-2 to 4e-2; at 1e-1 a
    tensor is replaced every ten steps. Steps that are too large soon blow the weights up, and the ratio falls again:
    the median over the run would miss them, and a single look would catch every first step of Adam.
    """
    ratios = update_ratios(run)
    if not ratios or not fits_a_network(run):  # a number that begins near zero changes by many times its size
        return Missing(HIGH, "no update was measured against the weights of a network")
    ratio = max(bins(ratios.values, 8))
    level = ramp(ratio, 0.1, 0.6, log=True)
    return Sign(
        HIGH,
        ratio,
        level,
        f"Update/weight ratio peaks at {num(ratio)}; its median is {num(median(ratios.values) or 0.0)} over "
        f"{len(ratios.values)} steps checked (~1e-3 is typical)",
        onset=first_step_above(ratios, 0.1) if level >= 0.5 else None,
        severity=if_raised(level, "warning"),
        values={"largest": ratio, "median": median(ratios.values), "looks": len(ratios)},
    )


def low(run: Run) -> Sign | Missing:
    """Steps too small to matter: the update-to-weight ratio in the quarter of the run where it is largest.

    About 1e-3 is ordinary; careful fine-tuning goes down to 2e-4; at 5e-6 a weight needs 200 000 steps to change by its
    own size. The best quarter decides, so that warm-up, decay to zero and convergence do not count.
    """
    ratios = update_ratios(run)
    if not ratios:
        return Missing(LOW, "no update was measured against its weights")
    best = max(bins(ratios.values, 4))
    level = ramp(best, 2e-4, 5e-6, log=True)
    return Sign(
        LOW,
        best,
        level,
        f"Update/weight ratio is {num(best)} in the quarter of the run where it is largest (~1e-3 is typical)",
        onset=0 if level >= 0.5 else None,
        severity=if_raised(level, "warning"),
        values={"best_quarter": best, "looks": len(ratios)},
    )


SIGNS = (
    SignUnit(HIGH, high, questions.STEPS, "dynamics", core=True),
    SignUnit(LOW, low, questions.STEPS, "dynamics", core=True),
)
