"""How far a loss has come: against the trivial predictor where that is known, else against where it began."""

from __future__ import annotations

from dataclasses import dataclass

from ..record import Run
from ..wording import num4
from ._base import ramp
from ._chance import chance_level
from .curve import Curve


@dataclass(frozen=True)
class Progress:
    """`left` is the share of the loss that remains; `level` is 1 where little remains; `text` says against what."""

    left: float
    level: float
    text: str


def progress(run: Run, curve: Curve, reached: float, scale: float | None = 1.0) -> Progress | None:
    """Where `reached` lies between chance, or the curve's own start, and zero. None if neither is known.

    `scale` converts it to the units of the training loss; with None it cannot be compared with chance.
    """
    chance = chance_level(run)
    if chance is not None and scale is not None:
        level = chance.loss / scale
        left, against = reached / level, f"chance is {num4(level)}"
    elif len(curve) > 1 and curve.first > 0:
        left, against = reached / curve.first, f"it began at {num4(curve.first)}"
    else:
        return None
    # A third of chance shows beyond doubt that something was learned; four fifths may be an accident. A fall from the
    # run's own start says less, because bad initial outputs are soon corrected: it has to be larger.
    good, poor = (0.35, 0.8) if chance is not None and scale is not None else (0.1, 0.5)
    return Progress(left, ramp(left, poor, good), against)
