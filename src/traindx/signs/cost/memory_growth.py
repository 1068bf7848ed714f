"""Memory that grows all through the run, after the first fifth: how much against where it stood.

Caches and allocators grow and level off; kept graphs grow for ever. So the growth must be steady, must last into the
second half, and must reach at least 32 MB, below which the process's own noise lies.
"""

from __future__ import annotations

from ...record import Run
from ...wording import num
from .. import questions
from .._base import Missing, Sign, if_raised, ramp
from .._growth import growth

ID = "memory-growth"
QUESTION = questions.TIME
SHOWS = "dynamics"
NOISE = 32 * 2**20


def measure(run: Run) -> Sign | Missing:
    found = growth(run, "memory", 0.2, fewest=6)
    if found is None:
        return Missing(ID, "memory was not followed for long enough")
    added = found.last - found.first
    steady = ramp(found.order, 0.5, 0.9) if found.lasting and added > NOISE else 0.0
    level = ramp(found.ratio, 1.1, 1.6) * steady
    each = added / found.steps if found.steps > 0 else 0.0
    return Sign(
        ID,
        found.ratio,
        level,
        f"memory went from {num(found.first / 2**20)} to {num(found.last / 2**20)} MB, {num(each / 1024)} kB per step",
        severity=if_raised(level, "warning"),
        values={"first": found.first, "last": found.last, "per_step": each},
    )
