"""Progress that the curve which looks bad does not show, and losses that never show it."""

from __future__ import annotations

from ...record import Run
from ...wording import num4
from .. import questions
from .._base import Missing, Sign, SignUnit, ramp
from .._chance import chance_level, compared_loss
from .._fall import accuracy_learns, constant_loss
from .._trend import trend
from ..curve import adversarial, training_loss, validation_loss
from ..curves.validation_rising import accuracy_since_minimum
from ._base import excuse

BELOW = 0.05  # how far below that of chance a loss shows that something is learned
MOST = 0.5  # of the planned steps; beyond, a slow start is over


def competing(run: Run) -> Sign | Missing:
    """Networks trained against each other: they seek an equilibrium, so their losses need not fall, and jump.

    A loss that does not move at all is not what is meant by that.
    """
    if not len(training_loss(run)):
        return Missing("networks-compete", "no training loss was recorded")
    return excuse(
        "networks-compete",
        adversarial(run) and not constant_loss(run),
        "networks are trained against each other, so their losses need not fall",
        "no networks are trained against each other",
    )


def accuracy_improves(run: Run) -> Sign | Missing:
    """An accuracy that improves significantly while the loss hardly moves. A loss that is one number is broken."""
    if not any(run.series(name) for name in ("accuracy/train", "accuracy/validation")):
        return Missing("accuracy-improves", "no accuracy was recorded")
    z = accuracy_learns(run)
    level = 0.0 if constant_loss(run) else ramp(z, 2.0, 4.0)
    return excuse(
        "accuracy-improves", level, f"accuracy improves (z = {z:.1f})", f"accuracy does not improve (z = {z:.1f})"
    )


def accuracy_follows(run: Run) -> Sign | Missing:
    """A validation accuracy that went on improving after the lowest validation loss: only the objective got worse."""
    if len(validation_loss(run)) < 3:
        return Missing("validation-accuracy-improves", "fewer than three validation losses were recorded")
    found = accuracy_since_minimum(run)
    if found.then is None or found.now is None:
        return Missing("validation-accuracy-improves", "no validation accuracy was recorded beside the losses")
    course = f"validation accuracy went from {num4(found.then)} at the lowest validation loss to {num4(found.now)}"
    return excuse("validation-accuracy-improves", found.better, f"{course}, so it still improved", course)


def below_chance(run: Run) -> Sign | Missing:
    """A loss below that of chance: probabilities improve before the first answer changes."""
    loss, chance = compared_loss(run), chance_level(run)
    if chance is None or len(loss) < 5:
        return Missing("loss-below-chance", "fewer than five training losses, or no loss of chance to compare with")
    words = f"training loss ends at {num4(loss.last)} (smoothed); chance is {num4(chance.loss)}"
    return excuse(
        "loss-below-chance", loss.last < (1 - BELOW) * chance.loss, f"{words}, so something is learned", words
    )


def cut_short(run: Run) -> Sign | Missing:
    """A run that ended before half of its planned steps, with its loss falling: what it lacks is no outcome."""
    planned, loss = run.planned_steps, training_loss(run)
    if planned is None or len(loss) < 6:
        return Missing("cut-short", "the planned length is not known, or fewer than six losses were recorded")
    half = loss.between(loss.steps[0] + (loss.steps[-1] - loss.steps[0]) / 2, float("inf"))
    words = f"{run.steps} of {planned} planned steps were made"
    falling = run.steps < MOST * planned and len(half) >= 3 and trend(*half.binned).falls
    return excuse("cut-short", falling, f"{words}, and the loss was falling when the run ended", words)


SIGNS = (
    SignUnit(
        "networks-compete",
        competing,
        questions.FALLS,
        "excuse",
        excuses={
            "loss-stuck": 0.4, "loss-diverged": 0.4, "loss-heads-wrong-way": 0.4, "loss-plateau": 0.4,
            "loss-spike": 0.0, "gradients-spiking": 0.0, "early-instability": 0.0,
        },
    ),
    SignUnit("accuracy-improves", accuracy_improves, questions.FALLS, "excuse", excuses={"loss-stuck": 0.0}),
    SignUnit(
        "validation-accuracy-improves",
        accuracy_follows,
        questions.VALIDATION,
        "excuse",
        end="step",
        excuses={"validation-rising": 0.6},
    ),
    SignUnit("loss-below-chance", below_chance, questions.FALLS, "excuse", excuses={"accuracy-at-chance": 0.7}),
    SignUnit(
        "cut-short",
        cut_short,
        questions.FALLS,
        "excuse",
        excuses={"accuracy-at-chance": 0.7, "training-at-chance": 0.85},
    ),
)  # fmt: skip
