"""A learning rate that explains a flat or slow loss, or a run that is over by its schedule."""

from __future__ import annotations

from ...record import Run
from ...wording import percent
from .. import questions
from .._base import Missing, Sign, SignUnit
from .._rate import learning_rate, rate_left
from .._validation import validation_turned
from ..curve import training_loss, validation_loss
from ._base import excuse

UNKNOWN = "the learning rate was not recorded, or once only"
RANGE = 100.0  # times that the learning rate rises in a range test


def warming(run: Run) -> Sign | Missing:
    """A learning rate of zero, or one that was still in its first ramp when the losses ended."""
    rate, loss = learning_rate(run), training_loss(run)
    if rate is None or not len(loss):
        return Missing("lr-still-warming", UNKNOWN)
    to_the_end = rate.curve.steps[-1] + rate.curve.spacing >= loss.steps[-1]
    return excuse(
        "lr-still-warming",
        rate.peak == 0 or (rate.warming and to_the_end),
        "the learning rate was 0 or still warming up when the run ended",
        "the learning rate was not warming up when the run ended",
    )


def run_out(run: Run) -> Sign | Missing:
    """How little of the learning rate is left at the end: a quarter of the peak still trains well."""
    rate = learning_rate(run)
    if rate is None or rate.peak <= 0:
        return Missing("lr-run-out", UNKNOWN)
    left = f"{percent(rate.last_share)} of the peak learning rate"
    return excuse("lr-run-out", 1.0 - rate_left(run), f"only {left} is left at the end", f"{left} is left at the end")


def range_test(run: Run) -> Sign | Missing:
    """A learning rate that rises by a factor of a hundred or more until the run ends belongs to a range test."""
    rate = learning_rate(run)
    if rate is None:
        return Missing("lr-range-test", UNKNOWN)
    return excuse(
        "lr-range-test",
        rate.warming and rate.curve.values[0] <= rate.peak / RANGE,
        "the learning rate rose a hundredfold until the run ended, as in a range test",
        "the learning rate does not rise as in a range test",
    )


def turned(run: Run) -> Sign | Missing:
    """A validation loss that has passed its minimum: it gains nothing by more training."""
    if len(validation_loss(run)) < 4:
        return Missing("validation-turned", "fewer than four validation losses were recorded")
    return excuse(
        "validation-turned",
        validation_turned(run),
        "validation loss has passed its minimum, so more training does not help it",
        "validation loss has not passed its minimum",
    )


SIGNS = (
    SignUnit(
        "lr-still-warming",
        warming,
        questions.SCHEDULE,
        "excuse",
        end="step",
        excuses={"loss-stuck": 0.0, "loss-falling-slowly": 0.0},
    ),
    SignUnit("lr-run-out", run_out, questions.SCHEDULE, "excuse", end="step", excuses={"loss-falling-slowly": 0.0}),
    SignUnit("lr-range-test", range_test, questions.SCHEDULE, "excuse", excuses={"rate-above-usual": 0.0}),
    SignUnit(
        "validation-turned",
        turned,
        questions.VALIDATION,
        "excuse",
        end="step",
        excuses={"still-improving": 0.0, "much-to-gain": 0.0},
    ),
)
