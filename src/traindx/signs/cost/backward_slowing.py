"""The time of a backward pass, late against early, after the first tenth of the run.

Busy machines and caches make it wander; only work that piles up makes it grow all the way and go on growing. A machine
that gets busier slows the forward pass as well, so what that slowed by is taken off first.
"""

from __future__ import annotations

from ...record import Run
from ...wording import num
from .. import questions
from .._base import Missing, Sign, if_raised, ramp
from .._growth import growth

ID = "backward-slowing"
QUESTION = questions.TIME
SHOWS = "dynamics"


def measure(run: Run) -> Sign | Missing:
    found = growth(run, "time/backward", 0.1)
    if found is None:
        return Missing(ID, "backward passes were not timed often enough")
    forward = growth(run, "time/forward", 0.1)
    ratio = found.ratio / max(1.0, forward.ratio if forward is not None else 1.0)
    level = ramp(ratio, 1.7, 5.0, log=True) * ramp(found.order, 0.5, 0.9) * found.lasting
    return Sign(
        ID,
        ratio,
        level,
        f"backward time went from {num(1000 * found.first)} ms to {num(1000 * found.last)} ms over {found.steps} steps",
        severity=if_raised(level, "warning"),
        values={"first": found.first, "last": found.last},
    )
