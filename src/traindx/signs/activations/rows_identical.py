"""Hidden layers whose units all start with the same weights: the share of such layers.

The output layer is left out, for a linear model may start at zero. A single layer of zeros (a residual branch, a gate)
is broken up by its neighbours and healthy; zeros count only where half of the layers are zero.
"""

from __future__ import annotations

from ...record import Run
from ...record.parameters import Parameter
from ...wording import counted, listed
from .. import checks, questions
from .._base import Missing, Sign, if_raised, ramp

ID = "rows-identical"
QUESTION = questions.FLOW
SHOWS = "fault"
RIVAL = ("signal", 3.0)
CHECK = checks.SYMMETRY


def _alike(p: Parameter) -> bool:
    return p.constant or (p.rows_identical is not None and p.rows_identical >= 0.99)


def _zero(p: Parameter) -> bool:
    return p.constant and not p.init_mean


def measure(run: Run) -> Sign | Missing:
    weights = [p for p in run.parameters if p.matrix and p.ran and p.trains and not p.loaded and p.shape[0] >= 2]
    known = [p for p in weights if p.rows_identical is not None or p.constant]
    hidden = [p for p in known if p is not weights[-1]]
    if not hidden:
        return Missing(ID, "no freshly initialised hidden layer was looked at")
    alike = [p for p in hidden if _alike(p)]
    if 2 * sum(map(_zero, alike)) < len(hidden):
        alike = [p for p in alike if not _zero(p)]
    share = len(alike) / len(hidden)
    level = ramp(share, 0.1, 0.5)
    return Sign(
        ID,
        share,
        level,
        f"all units of {listed([p.name for p in alike])} start with identical weights ({len(alike)} of {len(hidden)} "
        "hidden layers)"
        if alike
        else f"the units of each hidden layer start with different weights ({counted(len(hidden), 'layer')} checked)",
        onset=0 if level >= 0.5 else None,
        severity=if_raised(level, "critical"),
        values={"layers": [p.name for p in alike][:20], "share": share},
    )
