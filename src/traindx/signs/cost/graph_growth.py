"""The number of autograd nodes behind the loss, late against early.

Sequences of varying length make it jump about; only a graph that is never cut grows all the way.
"""

from __future__ import annotations

from ...record import Run
from .._base import Missing, Sign, ramp
from .._growth import growth
from .._words import grave, num

ID = "graph-growth"


def measure(run: Run) -> Sign | Missing:
    found = growth(run, "graph_nodes", 0.0)
    if found is None:
        return Missing(ID, "the graph behind the loss was not counted often enough")
    level = ramp(found.ratio, 1.2, 2.0) * ramp(found.order, 0.5, 0.9) * found.lasting
    return Sign(
        ID,
        found.ratio,
        level,
        f"the graph behind the loss went from {num(found.first)} to {num(found.last)} nodes over {found.steps} steps",
        onset=0 if level >= 0.5 else None,
        severity=grave(level, "critical"),
        values={"first": found.first, "last": found.last},
    )
