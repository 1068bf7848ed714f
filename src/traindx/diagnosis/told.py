"""The model for records that rest on a person's statements (`traindx ask`).

The fitted weights rest on what observers measure, beside which an outcome says little. A person tells outcomes and
settings, so the weights are those that the causes state, as an engineer hears them, and the priors are how often
causes are reported (`SHARES`). Confidences are corrected by how often such claims held when simulated people
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

# How often people who ask for help report a cause, in percent. Rough; answers outweigh it. One engineer's reading of
# PyTorch questions in forums and issue trackers, together with counts over 58 real Keras programs (Cao et al., DeepFD,
# ICSE 2022: learning rate 31 %, epochs 29 %, loss 28 %, preprocessing 21 %). A judgement, not a measurement: programs
# with planted faults cannot tell how often a fault occurs.
SHARES = {
    "lr-too-high": 12.0, "no-warmup": 4.0, "lr-too-low": 4.0, "lr-never-decays": 1.5, "lr-decays-too-soon": 1.5,
    "double-softmax": 5.0, "output-range-mismatch": 3.0, "wrong-loss": 4.0, "broadcast-loss": 2.5,
    "softmax-wrong-axis": 1.0, "scrambled-axes": 1.5, "padding-in-loss": 1.0, "loss-sign-flipped": 0.7,
    "noisy-labels": 4.0, "train-val-mismatch": 4.0, "class-imbalance": 4.0, "target-leakage": 1.0,
    "leaked-validation": 1.0, "validation-on-nothing": 0.5, "unshuffled-data": 2.0,
    "unscaled-inputs": 6.0, "unscaled-targets": 3.0, "unstable-math": 4.0, "nonfinite-data": 3.0, "bad-batch": 2.0,
    "low-precision": 2.5, "clip-before-unscale": 0.5, "clip-too-tight": 0.7,
    "eval-mode-missing": 4.0, "train-mode-missing": 1.5, "batchnorm-tiny-batch": 2.0,
    "params-not-in-optimizer": 3.0, "frozen-layers": 2.0, "detached-graph": 3.0,
    "overfitting": 7.0, "undertrained": 5.0, "over-regularized": 1.5, "model-too-small": 2.0,
    "missing-zero-grad": 3.5, "unscaled-accumulation": 1.5, "weight-decay-too-strong": 1.0,
    "optimizer-misconfigured": 1.0, "batch-too-small": 1.0, "batch-too-large": 1.0,
    "vanishing-gradients": 2.0, "exploding-gradients": 2.5, "dead-relus": 1.5, "saturated-activations": 1.0,
    "init-too-large": 1.0, "init-too-small": 0.7, "symmetric-init": 0.5, "no-nonlinearity": 0.5,
    "slow-data-loading": 3.0, "graph-retained": 2.0,
}  # fmt: skip
RARE = 0.5  # of causes that are not listed

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
