"""The model for records that are somebody's word (`traindx ask`).

The fitted weights rest on what observers measure, beside which an outcome says little. A person tells outcomes and
settings, so the weights are those that the causes state, as an engineer hears them, and the priors are how often
causes are reported (`reported.py`). Confidences are corrected by how often such claims held when simulated people
answered about programs of known truth (`python -m benchmarks.consult --fit`, told.json).
"""

from __future__ import annotations

import json
import math
from dataclasses import replace
from functools import cache
from importlib.resources import files
from typing import Any

from ..causes import all_causes
from ..signs import all_signs
from .model import HEALTHY, UNKNOWN, Model
from .parameters import stated
from .reported import RARE, SHARES

PRIOR_UNKNOWN = -5.5
PRIOR_HEALTHY = -1.0  # they would not ask
UNMEASURED = 0.7  # most required signs are not spoken of, and that says little
ABSENCE = 0.3  # what is asked for and denied counts, too
TEMPERATURE = 1.5
# Log-odds by what a sign shows: a cause that does not know it does not account for it.
UNEXPLAINED = {"outcome": 2.5, "dynamics": 1.2, "condition": 1.2}
HELD = "told.json"


@cache
def told() -> Model:
    causes = all_causes()
    words = stated(causes)
    prior = {name: math.log(SHARES.get(name, RARE) / 100) for name in words.prior}
    evidence = {unit.id: UNEXPLAINED[unit.shows] for unit in all_signs().values() if unit.shows in UNEXPLAINED}
    weight = dict(words.weight)
    for name in weight.keys() & causes.keys():
        unknown = {sign: -against for sign, against in evidence.items() if sign not in causes[name].requires}
        weight[name] = {**unknown, **words.weight[name]}
    return Model(
        causes,
        replace(
            words,
            prior={**prior, UNKNOWN: PRIOR_UNKNOWN, HEALTHY: PRIOR_HEALTHY},
            weight=weight,
            temperature={"told": TEMPERATURE},
            claims={"told": {"suspected": [tuple(pair) for pair in held().get("claims", ())]}},
            unmeasured=UNMEASURED,
            absence=ABSENCE,
        ),
    )


def held() -> dict[str, Any]:
    """How often claims of each size held in simulated interviews, and over how many."""
    file = files(__package__).joinpath(HELD)
    found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
    return found
