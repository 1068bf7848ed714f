"""What makes a sign harmless in a run, where that is said of several signs.

Each function says how far it holds, and why. A sign names those that bear on it (`unless` of `@sign`), each with the
level that the sign then counts for at most.
"""

from __future__ import annotations

from ..record import Run
from ..wording import num4, percent
from ._base import Unless, ramp
from ._chance import chance_level, compared_loss
from ._fall import accuracy_learns, constant_loss
from ._rate import learning_rate, rate_left
from ._trend import trend
from ._validation import validation_turned
from .curve import adversarial, training_loss

BELOW = 0.05  # how far below that of chance a loss shows that something is learned
MOST = 0.5  # of the planned steps; beyond, a slow start is over


def networks_compete(run: Run) -> Unless:
    """Networks trained against each other seek an equilibrium, so their losses need not fall, and jump.

    A loss that does not move at all is not what is meant by that.
    """
    holds = len(training_loss(run)) and adversarial(run) and not constant_loss(run)
    return Unless(bool(holds), "networks are trained against each other, so their losses need not fall")


def reinforced(run: Run) -> Unless:
    """In reinforcement learning a loss curve means something else."""
    return Unless(bool(run.rl), "the script uses reinforcement learning")


def accuracy_improves(run: Run) -> Unless | None:
    """An accuracy that improves significantly while the loss hardly moves. A loss that is one number is broken."""
    if constant_loss(run) or not any(run.series(name) for name in ("accuracy/train", "accuracy/validation")):
        return None
    z = accuracy_learns(run)
    return Unless(ramp(z, 2.0, 4.0), f"accuracy improves (z = {z:.1f})")


def below_chance(run: Run) -> Unless | None:
    """A loss below that of chance: probabilities improve before the first answer changes."""
    loss, chance = compared_loss(run), chance_level(run)
    if chance is None or len(loss) < 5:
        return None
    words = (
        f"training loss ends at {num4(loss.last)} (smoothed); chance is {num4(chance.loss)}, so something is learned"
    )
    return Unless(loss.last < (1 - BELOW) * chance.loss, words)


def cut_short(run: Run) -> Unless | None:
    """A run that ended before half of its planned steps, with its loss falling: what it lacks is no outcome."""
    planned, loss = run.planned_steps, training_loss(run)
    if planned is None or len(loss) < 6 or run.steps >= MOST * planned:
        return None
    half = loss.second_half
    words = f"{run.steps} of {planned} planned steps were made, and the loss was falling when the run ended"
    return Unless(len(half) >= 3 and trend(*half.binned).falls, words)


def still_warming(run: Run) -> Unless | None:
    """A learning rate of zero, or one that was still in its first ramp when the losses ended."""
    rate, loss = learning_rate(run), training_loss(run)
    if rate is None or not len(loss):
        return None
    to_the_end = rate.curve.steps[-1] + rate.curve.spacing >= loss.steps[-1]
    words = "the learning rate was 0 or still warming up when the run ended"
    return Unless(rate.peak == 0 or bool(rate.warming and to_the_end), words)


def rate_run_out(run: Run) -> Unless | None:
    """How little of the learning rate is left at the end: a quarter of the peak still trains well."""
    rate = learning_rate(run)
    if rate is None or rate.peak <= 0:
        return None
    words = f"only {percent(rate.last_share)} of the peak learning rate is left at the end"
    return Unless(1.0 - rate_left(run), words)


def turned(run: Run) -> Unless:
    """A validation loss that has passed its minimum: it gains nothing by more training."""
    return Unless(validation_turned(run), "validation loss has passed its minimum, so more training does not help it")
