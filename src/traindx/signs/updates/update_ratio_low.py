"""Steps too small to matter: the update-to-weight ratio in the quarter of the run where it is largest.

About 1e-3 is ordinary; careful fine-tuning goes down to 2e-4; at 5e-6 a weight needs 200 000 steps to change by its
own size. The best quarter decides, so that warm-up, decay to zero and convergence do not count.
"""

from __future__ import annotations

from ...record import Run
from ...wording import num
from .. import questions
from .._base import Missing, Sign, if_raised, ramp
from .._ratios import update_ratios
from .._tables import bins

ID = "update-ratio-low"
QUESTION = questions.STEPS
SHOWS = "dynamics"
CORE = True


def measure(run: Run) -> Sign | Missing:
    ratios = update_ratios(run)
    if not ratios:
        return Missing(ID, "no update was measured against its weights")
    best = max(bins(ratios.values, 4))
    level = ramp(best, 2e-4, 5e-6, log=True)
    return Sign(
        ID,
        best,
        level,
        f"update/weight ratio is {num(best)} in the run's most active quarter (~1e-3 is typical)",
        onset=0 if level >= 0.5 else None,
        severity=if_raised(level, "warning"),
        values={"best_quarter": best, "looks": len(ratios)},
    )
