"""Progress that the curve which looks bad does not show, and losses that never show it."""

from __future__ import annotations

from ...record import Run
from ...wording import num4
from .. import questions
from .._base import ramp
from .._chance import chance_level, compared_loss
from .._fall import accuracy_learns, constant_loss
from .._trend import trend
from ..curve import adversarial, training_loss, validation_loss
from ..curves.validation_rising import accuracy_since_minimum
from ._base import Holds, excuse

BELOW = 0.05  # how far below that of chance a loss shows that something is learned
MOST = 0.5  # of the planned steps; beyond, a slow start is over


@excuse(
    "networks-compete",
    questions.FALLS,
    {
        "loss-stuck": 0.4,
        "loss-diverged": 0.4,
        "loss-heads-wrong-way": 0.4,
        "loss-plateau": 0.4,
        "loss-oscillating": 0.4,
        "loss-spike": 0.0,
        "gradients-spiking": 0.0,
        "early-instability": 0.0,
    },
)
def competing(run: Run) -> Holds | str:
    """Networks trained against each other: they seek an equilibrium, so their losses need not fall, and jump.

    A loss that does not move at all is not what is meant by that.
    """
    if not len(training_loss(run)):
        return "no training loss was recorded"
    return Holds(
        adversarial(run) and not constant_loss(run),
        "networks are trained against each other, so their losses need not fall",
        "no networks are trained against each other",
    )


@excuse("accuracy-improves", questions.FALLS, {"loss-stuck": 0.0})
def accuracy_improves(run: Run) -> Holds | str:
    """An accuracy that improves significantly while the loss hardly moves. A loss that is one number is broken."""
    if not any(run.series(name) for name in ("accuracy/train", "accuracy/validation")):
        return "no accuracy was recorded"
    z = accuracy_learns(run)
    level = 0.0 if constant_loss(run) else ramp(z, 2.0, 4.0)
    return Holds(level, f"accuracy improves (z = {z:.1f})", f"accuracy does not improve (z = {z:.1f})")


@excuse("validation-accuracy-improves", questions.VALIDATION, {"validation-rising": 0.6}, end="step")
def accuracy_follows(run: Run) -> Holds | str:
    """A validation accuracy that went on improving after the lowest validation loss: only the objective got worse."""
    if len(validation_loss(run)) < 3:
        return "fewer than three validation losses were recorded"
    found = accuracy_since_minimum(run)
    if found.then is None:
        return "no validation accuracy was recorded beside the losses"
    return Holds(
        found.better,
        "validation accuracy went on improving after the lowest validation loss",
        "validation accuracy did not improve after the lowest validation loss",
    )


@excuse("loss-below-chance", questions.FALLS, {"accuracy-at-chance": 0.7})
def below_chance(run: Run) -> Holds | str:
    """A loss below that of chance: probabilities improve before the first answer changes."""
    loss, chance = compared_loss(run), chance_level(run)
    if chance is None or len(loss) < 5:
        return "fewer than five training losses, or no loss of chance to compare with"
    words = f"training loss ends at {num4(loss.last)} (smoothed); chance is {num4(chance.loss)}"
    return Holds(loss.last < (1 - BELOW) * chance.loss, f"{words}, so something is learned", words)


@excuse("cut-short", questions.FALLS, {"accuracy-at-chance": 0.7, "training-at-chance": 0.85})
def cut_short(run: Run) -> Holds | str:
    """A run that ended before half of its planned steps, with its loss falling: what it lacks is no outcome."""
    planned, loss = run.planned_steps, training_loss(run)
    if planned is None or len(loss) < 6:
        return "the planned length is not known, or fewer than six losses were recorded"
    half = loss.between(loss.steps[0] + (loss.steps[-1] - loss.steps[0]) / 2, float("inf"))
    words = f"{run.steps} of {planned} planned steps were made"
    falling = run.steps < MOST * planned and len(half) >= 3 and trend(*half.binned).falls
    return Holds(falling, f"{words}, and the loss was falling when the run ended", words)


SIGNS = (competing, accuracy_improves, accuracy_follows, below_chance, cut_short)
