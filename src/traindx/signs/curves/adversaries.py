"""Whether networks that are trained against each other keep their balance."""

from __future__ import annotations

import numpy as np

from ...record import Run
from ...wording import num4
from .. import questions
from .._adversaries import Side, balance
from .._base import Measured, sign


@sign(
    "adversary-won",
    questions.FALLS,
    "outcome",
    bad_from=0.9,
    doubt_from=0.5,
    needs_time=True,
    may_be_meant=False,
    earns=True,
    end="step",
)
def adversary_won(run: Run) -> Measured | str:
    """Whether one of two networks that are trained against each other has won: the other one then learns nothing.

    Only where the program shows the game: every standard loss of the training compares with a constant, some with
    "real" and some with "fake", and two optimizers take turns. The winner's loss over the last quarter is less than a
    hundredth of its first level, and the loser's has climbed to several times its own, or the loser's gradient is
    gone. A winner's loss of a fifth and a generator's of several times ln 2 are ordinary. Both losses at zero are no
    game: then the networks help each other. In balance: both losses are finite and have moved, none has collapsed or
    run away, and both gradients are alive.
    """
    found = balance(run)
    if isinstance(found, str):
        return found
    one, other = found.sides
    losses = f"losses {num4(one.first)} → {num4(one.last)} and {num4(other.first)} → {num4(other.last)} (last quarter)"
    left = f"gradient norms {one.gradient_left:.2g} and {other.gradient_left:.2g} times those of the first quarter"
    values = {"losses": [one.left, other.left], "gradients": [one.gradient_left, other.gradient_left]}
    if found.lost < 0.5:
        if not found.moved:
            return "a loss of the two networks never moved by more than its noise"
        return Measured(found.lost, f"Neither of two adversaries has won: {losses}; {left}.", values=values)
    if found.both_at_zero:
        text = f"Both adversaries' losses are nearly zero: they do not play against each other ({losses})."
    elif found.one_at_zero:
        text = f"One of two adversaries has won: {losses}; {left}."
    else:
        text = f"The balance of two adversaries is lost: {losses}; {left}."
    return Measured(found.lost, text, onset=_onset(run, found.sides), values=values)


def _onset(run: Run, sides: tuple[Side, Side]) -> int | None:
    """When the first of the two losses fell below a twentieth of its first level, for good."""
    steps = run.series("loss/train").steps
    found = []
    for side in sides:
        low = side.blocks < 0.05 * side.first
        if low[-1]:
            last_high = np.flatnonzero(~low)
            found.append((int(last_high[-1]) + 1 if len(last_high) else 0) / len(side.blocks))
    return int(min(found) * steps[-1]) if found and len(steps) else None
