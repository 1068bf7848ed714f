"""A learning rate that explains a flat or slow loss, or a run that is over by its schedule."""

from __future__ import annotations

from ...record import Run
from ...wording import percent
from .. import questions
from .._rate import learning_rate, rate_left
from .._validation import validation_turned
from ..curve import training_loss, validation_loss
from ._base import Holds, excuse

UNKNOWN = "the learning rate was not recorded, or once only"
RANGE = 100.0  # times that the learning rate rises in a range test


@excuse("lr-still-warming", questions.SCHEDULE, {"loss-stuck": 0.0, "loss-falling-slowly": 0.0}, end="step")
def warming(run: Run) -> Holds | str:
    """A learning rate of zero, or one that was still in its first ramp when the losses ended."""
    rate, loss = learning_rate(run), training_loss(run)
    if rate is None or not len(loss):
        return UNKNOWN
    to_the_end = rate.curve.steps[-1] + rate.curve.spacing >= loss.steps[-1]
    return Holds(
        rate.peak == 0 or (rate.warming and to_the_end),
        "the learning rate was 0 or still warming up when the run ended",
        "the learning rate was not warming up when the run ended",
    )


@excuse("lr-run-out", questions.SCHEDULE, {"loss-falling-slowly": 0.0}, end="step")
def run_out(run: Run) -> Holds | str:
    """How little of the learning rate is left at the end: a quarter of the peak still trains well."""
    rate = learning_rate(run)
    if rate is None or rate.peak <= 0:
        return UNKNOWN
    left = f"{percent(rate.last_share)} of the peak learning rate is left at the end"
    return Holds(1.0 - rate_left(run), f"only {left}", left)


@excuse("lr-range-test", questions.SCHEDULE, {"rate-above-usual": 0.0})
def range_test(run: Run) -> Holds | str:
    """A learning rate that rises by a factor of a hundred or more until the run ends belongs to a range test."""
    rate = learning_rate(run)
    if rate is None:
        return UNKNOWN
    return Holds(
        rate.warming and rate.curve.values[0] <= rate.peak / RANGE,
        "the learning rate rose a hundredfold until the run ended, as in a range test",
        "the learning rate does not rise as in a range test",
    )


@excuse("validation-turned", questions.VALIDATION, {"still-improving": 0.0, "much-to-gain": 0.0}, end="step")
def turned(run: Run) -> Holds | str:
    """A validation loss that has passed its minimum: it gains nothing by more training."""
    if len(validation_loss(run)) < 4:
        return "fewer than four validation losses were recorded"
    return Holds(
        validation_turned(run),
        "validation loss has passed its minimum, so more training does not help it",
        "validation loss has not passed its minimum",
    )


SIGNS = (warming, run_out, range_test, turned)
