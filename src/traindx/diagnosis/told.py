"""The model for records that rest on a person's statements (`traindx ask`).

The fitted weights rely on what observers measure, beside which an outcome says little. A person reports outcomes and
settings, so this model uses the weights that the causes state, and as priors how often causes are reported
(`reported.py`). Confidences are corrected by how often such claims were right when simulated people answered about
programs with a known fault (`python -m benchmarks.consult --fit`, told.json).
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
PRIOR_HEALTHY = -1.0  # people with a healthy run rarely ask
UNMEASURED = 0.7  # most required signs are not mentioned, and that says little
ABSENCE = 0.3  # a sign that is asked for and denied counts, too
TEMPERATURE = 1.5
# Log-odds by what a sign shows, taken from a cause that does not account for it.
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
