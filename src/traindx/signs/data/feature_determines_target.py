"""How strongly one input column alone gives the target away: its correlation.

Real features stay below 0.97 as a rule; a copy of the target reaches 1. A task with a single input has nothing else to
go by, and twenty samples are needed for a correlation to mean anything.
"""

from __future__ import annotations

from math import prod

from ...record import Run
from .._base import Missing, Sign, ramp
from .._facts import fact, number, shape
from .._words import grave, num

ID = "feature-determines-target"
FEWEST_SAMPLES = 20


def measure(run: Run) -> Sign | Missing:
    leak = fact(run, "feature_leak")
    correlation, samples = number(leak.get("correlation")), number(leak.get("samples"))
    if correlation is None or samples is None or samples < FEWEST_SAMPLES:
        return Missing(ID, "input columns were not compared with the target")
    sizes = shape(fact(run, "data/train").get("shape"))
    if sizes is not None and prod(sizes[1:]) <= 1:
        return Missing(ID, "the inputs have a single column")
    column = number(leak.get("feature"))
    name = f"input column {num(column)}" if column is not None else "one input column"
    level = ramp(abs(correlation), 0.97, 0.999)
    return Sign(
        ID,
        abs(correlation),
        level,
        f"{name} alone correlates with the target by {num(correlation)} over {num(samples)} samples",
        severity=grave(level, "critical"),
        values={"feature": column, "correlation": correlation},
    )
