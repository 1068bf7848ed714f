"""Other origins of a non-finite number, and losses that stay finite in spite of them."""

from __future__ import annotations

from ...record import Run
from .. import questions
from .._nonfinite import all_finite, birth
from .._precision import precision
from ._base import Holds, excuse


@excuse("losses-stay-finite", questions.FINITE, {"input-nonfinite": 0.4, "target-nonfinite": 0.2})
def losses_finite(run: Run) -> Holds | str:
    """All losses are finite: where the data hold NaN, the script masks them, or they mark what is missing."""
    finite = all_finite(run)
    if finite is None:
        return "no training loss was recorded"
    return Holds(
        finite and birth(run) is None,
        "every training loss is finite",
        "not every training loss or gradient is finite",
    )


@excuse("gradient-broke-first", questions.FINITE, {"nonfinite-from-weights": 0.0})
def gradient_first(run: Run) -> Holds | str:
    """A gradient that was not finite under a loss of ordinary size: it explains the weights by itself."""
    found = birth(run)
    if found is None:
        return "no non-finite number was seen"
    return Holds(
        found.gradient_first and not found.blown,
        "a gradient was non-finite while the loss was still of ordinary size",
        "no gradient was non-finite before the loss",
    )


@excuse("float16-in-use", questions.PRECISION, {"nonfinite-from-operation": 0.3})
def half_precision(run: Run) -> Holds | str:
    """Anything in float16: its narrow range can make any operation the first to overflow."""
    formats = precision(run)
    if formats is None:
        return "number formats were not recorded"
    return Holds(
        formats.float16,
        "part of the model computes in float16, whose range any operation may leave",
        "nothing is computed in float16",
    )


SIGNS = (losses_finite, gradient_first, half_precision)
