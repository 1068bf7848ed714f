"""How near activations in float16 come to its largest number, 65504.

A quarter of the range is no danger yet. bfloat16 has float32's range and cannot overflow here.
"""

from __future__ import annotations

import numpy as np

from ...record import Run
from ...wording import num
from .. import checks, questions
from .._base import Missing, Sign, if_raised, ramp
from .._nonfinite import birth
from .._precision import HALF_MAX, precision

ID = "half-precision-overflow"
QUESTION = questions.PRECISION
SHOWS = "fault"
RIVAL = ("number", 3.0)
CHECK = checks.FIRST_STEPS


def measure(run: Run) -> Sign | Missing:
    formats = precision(run)
    if formats is None:
        return Missing(ID, "number formats were not recorded")
    if not formats.float16:
        return Sign(ID, 0.0, 0.0, "nothing is computed in float16")
    found = birth(run)
    table = run.layers("act_max")
    sizes = np.abs(table.values[np.isfinite(table.values)])
    largest = max([float(sizes.max()) if sizes.size else 0.0, *(found.input_range if found else ())])
    # An overflow that the replay saw in the forward pass needs no further evidence.
    seen = found is not None and found.where in ("forward", "loss")
    if not largest and not seen:
        return Missing(ID, "the size of activations was not recorded")
    level = max(ramp(largest, 0.25 * HALF_MAX, 0.9 * HALF_MAX), 0.7 if seen else 0.0)
    return Sign(
        ID,
        largest / HALF_MAX,
        level,
        f"float16 values reach {num(largest)} (the largest finite one is 65504)"
        + (", and the forward pass made a non-finite value" if seen else ""),
        onset=found.step if found else None,
        severity=if_raised(level, "critical"),
        values={"largest": largest},
    )
