"""Rare enormous gradient norms among ordinary ones: the largest against the run's own ordinary norm.

Ordinary is the larger of the median nearby and the median of the first quarter. The second is needed because a model
that has nearly memorised its data has tiny norms, among which an ordinary hard batch looks enormous. Healthy runs stay
within about ten times; a hundred times is a different regime.
"""

from __future__ import annotations

import numpy as np

from ...record import Run
from ...wording import num, percent
from .. import questions
from .._base import Missing, Sign, if_raised, ramp
from .._params import fits_a_network
from .._tables import first_step_above, median, ordered, span

ID = "gradient-norm-heavy-tail"
QUESTION = questions.STEPS
SHOWS = "dynamics"
FEWEST = 20
CENTRES = 200


def measure(run: Run) -> Sign | Missing:
    # Clipping calls see the norm at every step, the sampled series only some.
    points = max((ordered(run.series(name)) for name in ("grad_norm", "clip/norm")), key=len)
    if len(points) < FEWEST or not fits_a_network(run):
        return Missing(ID, f"fewer than {FEWEST} gradient norms were recorded, or no network is trained")
    early = median(span(points.values, 0.0, 0.25)) or 0.0
    reach = max(5, len(points) // 20)
    # The level nearby changes slowly against its window: a few hundred medians and lines between them will do.
    centres = np.unique(np.linspace(0, len(points) - 1, min(len(points), CENTRES)).astype(int))
    medians = [median(points.values[max(0, i - reach) : i + reach + 1]) or 0.0 for i in centres]
    ordinary = np.maximum(np.interp(np.arange(len(points)), centres, medians), early)
    if not (ordinary > 0).all():
        return Missing(ID, "the gradient norm is zero over whole stretches")
    ratios = np.minimum(points.values / ordinary, 1e300)
    worst = int(np.argmax(ratios))
    level = ramp(float(ratios[worst]), 10.0, 100.0, log=True)
    # Outliers must be rare: where a tenth of the norms are that large, they are ordinary, and the steps are at fault.
    rare = float(np.mean(ratios > 10.0))
    level *= ramp(rare, 0.3, 0.1)
    return Sign(
        ID,
        float(ratios[worst]),
        level,
        f"the largest gradient norm is {num(points.values[worst])} at step {points.steps[worst]}, "
        f"{num(ratios[worst])} times the usual {num(ordinary[worst])}; {percent(rare)} of the norms exceed 10 times "
        "the usual",
        onset=first_step_above(type(points)("ratio", points.steps, ratios), 10.0),
        severity=if_raised(level, "warning"),
        values={"largest": float(points.values[worst]), "step": int(points.steps[worst]), "share": rare},
    )
