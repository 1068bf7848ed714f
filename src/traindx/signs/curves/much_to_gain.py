"""How far the loss fell in the second half of the run, as a share of chance: twice the steps may bring as much again.

Of the trivial predictor's loss where that is known, else, which says less, of the loss at the start. A loss near its
floor can halve again and gain nothing; one that is still far from it and falls by an eighth of all there is was stopped
in the middle of its way. A twenty-fifth is the ordinary tail of a finished run. As everywhere, what may be expected
shrinks with the learning rate that is left.
"""

from __future__ import annotations

import numpy as np

from ...record import Run
from ...wording import num4, percent
from .. import questions
from .._base import Missing, Sign, ramp
from .._chance import chance_level, compared_loss
from .._rate import rate_left
from ..curve import adversarial

ID = "much-to-gain"
QUESTION = questions.FALLS
SHOWS = "dynamics"
END = "step"
FEWEST = 8


def measure(run: Run) -> Sign | Missing:
    loss, chance = compared_loss(run), chance_level(run)
    if len(loss) < FEWEST:
        return Missing(ID, f"fewer than {FEWEST} training losses were recorded")
    if adversarial(run):
        return Missing(ID, "the losses of adversarial networks do not fall")
    all_of_it = chance.loss if chance is not None else loss.first
    if all_of_it <= 0:
        return Missing(ID, "the range of a loss that starts below zero is not known")
    half = loss.between(loss.steps[0] + (loss.steps[-1] - loss.steps[0]) / 2, float("inf")).values
    if len(half) < 4:
        return Missing(ID, "fewer than four training losses in the second half of the run")
    few = max(2, len(half) // 5)
    began, ended = float(np.median(half[:few])), float(np.median(half[-few:]))
    share = (began - ended) / all_of_it
    if share > 1.0:
        return Missing(ID, "the loss fell by more than the distance from chance to zero, so it has further terms")
    # Two standard errors of the difference of two such medians must lie between them.
    noise = 1.25 * loss.noise * np.sqrt(2.0 / few) * (ended if loss.logarithmic else 1.0)
    certain = ramp((began - ended) / noise, 1.0, 2.5) if noise > 0 else float(began > ended)
    level = min(certain, ramp(share * rate_left(run), 0.04, 0.12))
    if chance is None:
        level = min(level, 0.6)
    against = "the loss at chance" if chance is not None else "its first value"
    fell = percent(max(share, 0.0))
    text = f"Training loss fell by {fell} of {against} ({num4(all_of_it)}) over the second half of the run."
    return Sign(ID, share, level, text, int(loss.steps[-1]) if level >= 0.5 else None, "info", {"share": share})
