"""The parameters that diagnosis uses: fitted ones where they have been fitted, the causes' own words elsewhere."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from ..causes import Cause, all_causes
from .model import HEALTHY, UNKNOWN, Model, Parameters

FITTED = "fitted.json"

# Priors in log-odds before any fitting. Most runs that people look at are healthy or merely unfinished; a cause that
# shows nothing of itself stays far below that.
PRIOR_HEALTHY = 1.0
PRIOR_CAUSE = -3.0
PRIOR_UNKNOWN = -1.5
# Trouble that the curve shows and that needs some explanation.
UNKNOWN_GAINS = (
    "loss-not-finite",
    "loss-diverged",
    "loss-stuck",
    "loss-plateau",
    "loss-oscillating",
    "training-at-chance",
    "validation-rising",
    "validation-gap",
    "validation-at-chance",
    "loss-falling-slowly",
    "early-instability",
    "loss-heads-wrong-way",
)
UNKNOWN_WEIGHT = 2.0
# What only a run that works brings about. No fault that stops learning goes with it, but some that flatter do.
HEALTHY_GAINS = {"training-learned": 1.0, "validation-learned": 1.5}
# How much of the strongest support that a sign gives to any cause is held against `healthy`.
HEALTHY_SHARE = 0.6
DESCRIPTIVE = 1.0  # signs whose strongest weight is no more than this only describe


def stated(causes: Mapping[str, Cause]) -> Parameters:
    """The parameters as the causes state them: what an experienced engineer would say, unfitted."""
    weight: dict[str, dict[str, float]] = {}
    prior: dict[str, float] = {}
    strongest: dict[str, float] = {}
    for name, cause in causes.items():
        if cause.advisory or not cause.supports:
            continue
        prior[name] = PRIOR_CAUSE
        weight[name] = {**{s: -w for s, w in cause.opposes.items()}, **dict(cause.supports)}
        for sign, w in cause.supports.items():
            strongest[sign] = max(strongest.get(sign, 0.0), w)
    weight[HEALTHY] = {s: -HEALTHY_SHARE * w for s, w in strongest.items() if w > DESCRIPTIVE} | HEALTHY_GAINS
    weight[UNKNOWN] = dict.fromkeys(UNKNOWN_GAINS, UNKNOWN_WEIGHT)
    prior[HEALTHY], prior[UNKNOWN] = PRIOR_HEALTHY, PRIOR_UNKNOWN
    return Parameters(prior, weight, {"observed": 1.0, "log": 1.5})


@cache
def current() -> Model:
    """The model that diagnosis uses."""
    causes = all_causes()
    fallback = stated(causes)
    file = files(__package__).joinpath(FITTED)
    if not file.is_file():
        return Model(causes, fallback)
    fitted = json.loads(file.read_text(encoding="utf-8"))
    return Model(
        causes,
        Parameters(
            {**fallback.prior, **fitted["prior"]},
            # A sign that is newer than the fit keeps the weight that the causes state.
            {name: {**stated, **fitted["weight"].get(name, {})} for name, stated in fallback.weight.items()},
            {**fallback.temperature, **fitted["temperature"]},
            fitted.get("claims", {}),
            fitted.get("about", {}),
        ),
    )
