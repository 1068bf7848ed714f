"""The number of autograd nodes behind the loss, late against early.

Sequences of varying length make it jump about; only a graph that is never cut grows all the way, or all the way until
an epoch cuts it.
"""

from __future__ import annotations

import numpy as np

from ...record import Run
from ...wording import num
from .. import questions
from .._base import Missing, Sign, if_raised, ramp
from .._growth import growth
from .._tables import ordered

ID = "graph-growth"
QUESTION = questions.TIME
SHOWS = "fault"
FEWEST = 12


def _by_epochs(run: Run) -> float:
    """Growth from step to step that starts over now and then: hardly a step makes the graph smaller."""
    values = ordered(run.series("graph_nodes")).values
    changes = np.diff(values)
    changes = changes[changes != 0]
    if len(changes) < FEWEST:
        return 0.0
    return ramp(float(values.max() / max(values[0], 1.0)), 1.5, 3.0) * ramp(float((changes > 0).mean()), 0.8, 0.92)


def measure(run: Run) -> Sign | Missing:
    found = growth(run, "graph_nodes", 0.0)
    if found is None:
        return Missing(ID, "the graph behind the loss was not counted often enough")
    steady = ramp(found.ratio, 1.2, 2.0) * ramp(found.order, 0.5, 0.9) * found.lasting
    level = max(steady, _by_epochs(run))
    return Sign(
        ID,
        found.ratio,
        level,
        f"the autograd graph of the loss went from {num(found.first)} to {num(found.last)} nodes over {found.steps} "
        "steps",
        onset=0 if level >= 0.5 else None,
        severity=if_raised(level, "critical"),
        values={"first": found.first, "last": found.last},
    )
