"""How much of the training loss's fall happens at the epoch borders rather than within epochs.

A model that learns what is common to the samples improves all the time; one that memorises single samples improves
when it meets them again, in a stair at each border. Each border is measured by the levels just before and after it
against their noise, and the share of borders with a clear drop and of the total fall that lies in the drops is
taken. A border where the learning rate drops too is left out: that stair has another cause.
"""

from __future__ import annotations

import math

import numpy as np

from ...record import Run
from ...wording import percent
from .. import questions
from .._base import Missing, Sign, ramp
from .._epochs import epoch_borders
from .._rate import learning_rate
from ..curve import Curve, spread_of_differences, training_loss

ID = "memorising"
QUESTION = questions.FALLS
SHOWS = "dynamics"
FEWEST = 6  # points an epoch needs for a level at each of its ends


def measure(run: Run) -> Sign | Missing:
    loss, borders = training_loss(run), epoch_borders(run)
    if len(borders) == 0:
        return Missing(ID, "epoch boundaries within the run are not known")
    if len(loss) / (len(borders) + 1) < FEWEST:
        return Missing(ID, f"fewer than {FEWEST} training losses per epoch were recorded")
    y = loss.ratios
    edges = [0, *np.searchsorted(loss.steps, borders).tolist(), len(loss)]
    drops, inner, clear = [], [], []
    for before, border, after in zip(edges, edges[1:], edges[2:], strict=False):
        if min(border - before, after - border) < FEWEST or _rate_drops(run, loss, border):
            continue
        width = max(3, min(border - before, after - border) // 4)
        low, high = y[border : border + width], y[border - width : border]
        noise = spread_of_differences(y[before:after])
        drop = float(np.median(high) - np.median(low))
        error = max(1.25 * noise * math.sqrt(2 / width), 1e-12)
        # What ordinary falling within the epoch would bring over the same distance is no stair.
        third = (border - before) // 3
        slope = float(np.median(y[before + third : before + 2 * third]) - np.median(y[border - third : border])) / third
        drop -= max(0.0, slope) * width
        drops.append(drop)
        clear.append(drop / error > 3 and drop > 0.02)
        inner.append(float(np.median(y[border : border + width]) - np.median(y[after - width : after])))
    if not drops:
        return Missing(ID, "no epoch boundary has enough losses on both sides")
    total = float(sum(max(0.0, d) for d in drops))
    within = float(sum(max(0.0, i) for i in inner))
    share = total / (total + within) if total + within > 0 else 0.0
    stairs = sum(clear) / len(clear)
    size = ramp(total / len(drops), 0.02, 0.06)
    level = min(ramp(stairs, 0.4, 0.8), ramp(share, 0.3, 0.55), size) * (1.0 if len(drops) > 1 else 0.8)
    values = {"borders": len(drops), "clear": int(sum(clear)), "share_of_fall": share, "log_fall_at_borders": total}
    onset = int(loss.steps[edges[1]]) if level >= 0.5 else None
    text = (
        f"Training loss drops abruptly at {sum(clear)} of {len(drops)} epoch boundaries; {percent(share)} of its fall "
        "since the first boundary happens at boundaries."
    )
    # How a loss falls is no outcome: whether validation suffers is validation-rising's to tell.
    return Sign(ID, share, level, text, onset, "info", values)


def _rate_drops(run: Run, loss: Curve, border: int) -> bool:
    """Whether the learning rate falls by a fifth or more from just before the border to just after it."""
    rate = learning_rate(run)
    if rate is None:
        return False
    at = loss.steps[[border - 1, min(border + 1, len(loss) - 1)]].astype(np.float64)
    before, after = rate.share_at(at)
    return bool(after < 0.8 * before)
