"""Other origins of a non-finite number, and losses that stay finite in spite of them."""

from __future__ import annotations

from ...record import Run
from .. import questions
from .._base import Missing, Sign, SignUnit
from .._nonfinite import all_finite, birth
from .._precision import precision
from ._base import excuse


def losses_finite(run: Run) -> Sign | Missing:
    """All losses are finite: where the data hold NaN, the script masks them, or they mark what is missing."""
    finite = all_finite(run)
    if finite is None:
        return Missing("losses-stay-finite", "no training loss was recorded")
    return excuse(
        "losses-stay-finite",
        finite and birth(run) is None,
        "every training loss is finite",
        "not every training loss or gradient is finite",
    )


def gradient_first(run: Run) -> Sign | Missing:
    """A gradient that was not finite under a loss of ordinary size: it explains the weights by itself."""
    found = birth(run)
    if found is None:
        return Missing("gradient-broke-first", "no non-finite number was seen")
    return excuse(
        "gradient-broke-first",
        found.gradient_first and not found.blown,
        "a gradient was non-finite while the loss was still of ordinary size",
        "no gradient was non-finite before the loss",
    )


def half_precision(run: Run) -> Sign | Missing:
    """Anything in float16: its narrow range can make any operation the first to overflow."""
    formats = precision(run)
    if formats is None:
        return Missing("float16-in-use", "number formats were not recorded")
    return excuse(
        "float16-in-use",
        formats.float16,
        "part of the model computes in float16, whose range any operation may leave",
        "nothing is computed in float16",
    )


SIGNS = (
    SignUnit(
        "losses-stay-finite",
        losses_finite,
        questions.FINITE,
        "excuse",
        excuses={"input-nonfinite": 0.4, "target-nonfinite": 0.2},
    ),
    SignUnit(
        "gradient-broke-first", gradient_first, questions.FINITE, "excuse", excuses={"nonfinite-from-weights": 0.0}
    ),
    SignUnit(
        "float16-in-use", half_precision, questions.PRECISION, "excuse", excuses={"nonfinite-from-operation": 0.3}
    ),
)
