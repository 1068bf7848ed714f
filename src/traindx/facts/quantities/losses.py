"""What the loss starts from, is given and is made of, and how losses, accuracies and the learning rate went."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from ...record import Run
from ...signs import Signs
from ...signs.curve import Curve, in_bins, moment, training_loss, validation_loss
from ...signs.questions import FALLS, LOSS_INPUTS
from ...signs.terms import loss_terms, why_missing
from ..types import Quantity, Reading, plain, view
from .of_signs import of


def _terms(run: Run, _signs: Signs) -> Iterable[Reading]:
    """The share of the smallest and the largest term in the size of the loss, at the last looks."""
    if why_missing(run):
        return
    sizes = {term: abs(term.curve.last) for term in loss_terms(run) if len(term.curve)}
    whole = sum(sizes.values())
    if len(sizes) > 1 and np.isfinite(whole) and whole > 0:
        least = min(sizes, key=lambda term: sizes[term])
        yield Reading(max(sizes[least] / whole, 1e-12), plain(run), least.label.replace("`", ""))


FEWEST = 10  # points from which a rate of spikes or a slope is read


def _ratio(sign: str, name: str, key: str | None = None) -> Quantity:
    """How many times one level of the training loss is another, for a sign that keeps the logarithm.

    A loss that is not positive throughout has no ratios.
    """
    known = of(sign, name, "times", key=key, of_value=_from_logarithm, log=True, outcome=True)

    def read(run: Run, signs: Signs) -> Iterable[Reading]:
        loss = training_loss(run)
        return known.read(run, signs) if len(loss) and loss.values.min() > 0 else ()

    return replace(known, read=read)


def _from_logarithm(log_ratio: float) -> float:
    return math.exp(min(log_ratio, math.log(1e6)))  # more is no measure of anything


def _rise(change: float) -> float:
    return max(change, 0.0)


def _spikes(run: Run, signs: Signs) -> Iterable[Reading]:
    found, loss = signs.get("loss-spike"), training_loss(run)
    count = found.values.get("count") if found is not None else None
    if isinstance(count, int | float) and len(loss) >= FEWEST:
        where = moment(run, found.onset) if found is not None and found.onset is not None else None
        yield Reading(1000.0 * count / len(loss), plain(run), where)


def _end_slope(run: Run, _signs: Signs) -> Iterable[Reading]:
    """The change of the last fifth, halved to that of a tenth, against the level there."""
    for name, curve in (("training", training_loss(run)), ("validation", validation_loss(run))):
        late = Curve(curve.steps[len(curve) * 4 // 5 :], curve.values[len(curve) * 4 // 5 :])
        if len(curve) < 2 * FEWEST or not late.values.min() > 0:
            continue
        x, y = np.linspace(0.0, 1.0, len(late)), np.log(late.values)
        x, y = in_bins(x, 10), in_bins(y, 10)
        slopes = [(y[j] - y[i]) / (x[j] - x[i]) for i in range(len(x)) for j in range(i + 1, len(x))]
        yield Reading(float(np.median(slopes)) / 2, (f"{view(run)}/{name}", view(run)), f"{name} loss")


QUANTITIES = (
    Quantity("smallest-term", "Share of the smallest term in the loss", LOSS_INPUTS, _terms, "share", True, 0.5),
    _ratio("loss-diverged", "Training loss at the end over its minimum"),
    _ratio("early-instability", "Highest early training loss over the first"),
    Quantity(
        "loss-spike/rate",
        "Spikes of the training loss per 1,000 points",
        FALLS,
        _spikes,
        "spikes",
        grain=1.0,
        outcome=True,
    ),
    _ratio("loss-spike", "Highest spike of the training loss over its surroundings", "log_ratio"),
    Quantity(
        "end-slope", "Change per tenth of the run at the end", FALLS, _end_slope, "change", grain=0.01, outcome=True
    ),
    of(
        "loss-heads-wrong-way",
        "Rise of the training loss over the run",
        "share",
        key="relative_rise",
        of_value=_rise,
        outcome=True,
    ),
)
