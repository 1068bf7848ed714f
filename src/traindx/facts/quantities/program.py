"""Inputs, targets, batches and their order; where time and memory go; what is connected as a training needs."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ...record import Run
from ...signs import Signs
from ...signs.questions import DATA, PARAMETERS, TIME
from ..types import Quantity, Reading, plain
from .of_signs import of, site


def _input_range(run: Run, _signs: Signs) -> Iterable[Reading]:
    stats = run.training_data
    low, high = stats.min, stats.max
    if low is not None and high is not None and "float" in stats.dtype:
        largest = max(abs(low), abs(high))
        if largest > 0:
            yield Reading(largest, plain(run), "training inputs")


def _repeated(run: Run, _signs: Signs) -> Iterable[Reading]:
    """The share of the training samples in a batch that are repeats within it."""
    found = run.repeats
    if found.hashed and found.distinct is not None and found.continuous:
        yield Reading(max(0.0, 1.0 - found.distinct / found.hashed), plain(run), "training batches")


FEWEST_RARER = 10  # samples of the rare class, for a ranking to say something


def _ranked(run: Run, _signs: Signs) -> Iterable[Reading]:
    """How often the scores rank a rare sample above a common one: what was learned where every answer is the same."""
    found = run.training_targets.ranking
    if found.share is not None and found.rarer is not None and found.rarer >= FEWEST_RARER:
        yield Reading(found.share, plain(run))


def _constant(run: Run, _signs: Signs) -> Iterable[Reading]:
    constant, features = run.training_data.constant_features, run.training_data.feature_std
    if constant is not None and features:
        yield Reading(min(1.0, constant / len(features)), plain(run), "training inputs")


LOOKS = 20
PARTS = {"forward": "forward", "backward": "backward", "step": "optimizer step", "between": "between steps"}


def _typical(run: Run, part: str) -> float | None:
    """The median time of a part, without the first tenth, which includes warm-up."""
    values = run.series(f"time/{part}").finite.values
    return float(np.median(values[len(values) // 10 :])) if len(values) >= LOOKS else None


def _shares(part: str) -> Quantity:
    """The share of a part in the time of all parts, without the rest of the script."""

    def read(run: Run, _signs: Signs) -> Iterable[Reading]:
        times = {name: _typical(run, name) for name in (*PARTS, "data")}
        whole, own = sum(time or 0.0 for time in times.values()), times[part]
        if own is not None and whole > 0:
            yield Reading(own / whole, plain(run))

    return Quantity(
        f"time/{part}",
        f"Time of a step: {PARTS[part]}",
        TIME,
        read,
        "share",
        grain=0.1,
        kin=("data-wait",) if part == "between" else (),
    )


def _growth(factor: float) -> float:
    """First steps are slow anyway: that later ones are faster means nothing."""
    return max(factor, 1.0)


def _kept(run: Run, signs: Signs) -> Iterable[Reading]:
    """The share of the steps checked before which nothing cleared the gradients."""
    found = signs.get("grads-kept")
    if found is not None and (steps := found.values.get("steps")):
        yield Reading(float(found.values.get("kept", 0.0)) / steps, plain(run), site(run, "optimizer"))


QUANTITIES = (
    Quantity("input-largest", "Largest input magnitude", DATA, _input_range, "", True, 0.3),
    Quantity("features-constant", "Input features that never vary", DATA, _constant, "share", grain=0.05),
    Quantity("samples-repeated", "Samples that repeat within a batch", DATA, _repeated, "share"),
    Quantity("weak-signal-ranked/share", "ROC AUC of the rare class, late", DATA, _ranked, "share"),
    *map(_shares, PARTS),
    of("backward-slowing", "Growth of the backward time over the run", "times", log=True, grain=0.3, of_value=_growth),
    of("step-time-growing", "Growth of the step time over the run", "times", log=True, grain=0.3, of_value=_growth),
    Quantity(
        "grads-kept", "Steps with gradients kept from the step before", PARAMETERS, _kept, "share", sign="grads-kept"
    ),
)
