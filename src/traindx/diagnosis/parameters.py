"""The parameters that diagnosis uses: fitted ones where they exist, the causes' stated weights elsewhere."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from ..causes import Cause, all_causes
from ..signs import all_signs
from .model import HEALTHY, UNKNOWN, Model, Parameters

FITTED = "fitted.json"

# Priors in log-odds before any fitting. Most runs that people look at are healthy or merely unfinished.
PRIOR_HEALTHY = 2.0
PRIOR_CAUSE = -3.0
PRIOR_UNKNOWN = -1.5
UNKNOWN_WEIGHT = 2.0  # of every bad outcome for `unknown`: it needs some explanation
SUCCESS_WEIGHT = 1.2  # of every sign that only a working run shows
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
        weight[name] = dict(cause.supports)
        for sign, w in cause.supports.items():
            strongest[sign] = max(strongest.get(sign, 0.0), w)
    outcomes = [unit.id for unit in all_signs().values() if unit.shows == "outcome"]
    successes = [unit.id for unit in all_signs().values() if unit.shows == "success"]
    troubles = {s: -HEALTHY_SHARE * w for s, w in strongest.items() if w > DESCRIPTIVE and s not in successes}
    weight[HEALTHY] = troubles | dict.fromkeys(successes, SUCCESS_WEIGHT)
    weight[UNKNOWN] = dict.fromkeys(outcomes, UNKNOWN_WEIGHT)
    prior[HEALTHY], prior[UNKNOWN] = PRIOR_HEALTHY, PRIOR_UNKNOWN
    return Parameters(prior, weight)


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
            fitted.get("about", {}),
        ),
    )
