"""How strongly one input column alone gives the target away: its correlation.

Real features stay below 0.97 as a rule; a copy of the target reaches 1. A task with two or three inputs has little else
to go by, and twenty samples are needed for a correlation to mean anything. A leak is one column: where the columns
beside it give the target away as well, the task is a simple one. In a window of a series the value nearest to
the one that is forecast knows most of it, and what it lacks grows with the distance: twofold for a random walk at twice
the distance, fourfold for a smooth curve. A column that holds the answer has no such neighbours.
"""

from __future__ import annotations

from math import prod
from typing import Any

from ...record import Run
from ...record.values import number, shape
from ...wording import counted, num
from .. import checks, questions
from .._base import Missing, Sign, if_raised, ramp

ID = "feature-determines-target"
QUESTION = questions.DATA
SHOWS = "condition"
CHECK = checks.NO_ANSWER_IN_INPUT
FEWEST_SAMPLES = 20
FEWEST_COLUMNS = 4
ALIKE = 0.9999  # of the strongest correlation: those of the columns beside it, where all of them say the same
SMOOTH = (6.0, 14.0)  # by how much more the next column and the one after it may lack: 4 and 9 of a smooth curve


def measure(run: Run) -> Sign | Missing:
    leak = run.fact("feature_leak")
    correlation, samples = number(leak.get("correlation")), number(leak.get("samples"))
    if correlation is None or samples is None or samples < FEWEST_SAMPLES:
        return Missing(ID, "input columns were not compared with the target")
    sizes = shape(run.fact("data/train").get("shape"))
    if sizes is not None and prod(sizes[1:]) < FEWEST_COLUMNS:
        return Missing(ID, f"the inputs have {counted(prod(sizes[1:]), 'column')}: one may well say it all")
    inwards = [abs(value) for entry in leak.get("inwards") or () if (value := number(entry)) is not None]
    if len(inwards) > 1 and min(inwards) > ALIKE * abs(correlation):
        return Missing(ID, "several input columns determine the target: none of them is a leak by itself")
    if _window(leak.get("inwards")):
        return Missing(
            ID, "neighbouring input columns look like a time series, whose latest value predicts the target by itself"
        )
    column = number(leak.get("feature"))
    name = f"input column {num(column)}" if column is not None else "one input column"
    level = ramp(abs(correlation), 0.97, 0.999)
    return Sign(
        ID,
        abs(correlation),
        level,
        f"{name} alone has a correlation of {num(correlation)} with the target ({num(samples)} samples)",
        severity=if_raised(level, "critical"),
        values={"feature": column, "correlation": correlation},
    )


def _window(inwards: Any) -> bool:
    """Whether correlations fade from the edge inwards as those of neighbours in time do."""
    known = [number(value) for value in inwards] if isinstance(inwards, list) else []
    if len(known) != 3 or None in known:
        return False
    lacking, *further = (1 - float(value or 0.0) for value in known)
    return lacking < further[0] < further[1] and all(
        more <= times * lacking for more, times in zip(further, SMOOTH, strict=True)
    )
