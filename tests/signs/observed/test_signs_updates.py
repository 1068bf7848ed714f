"""Signs of the steps that are taken, and of what the optimizer is told."""

from __future__ import annotations

import numpy as np
from observed_patient import LOOKS, WEIGHTS, Patient, adam, calm, decaying, few_steps, half, healthy, sick


def dual(elements: int) -> Patient:
    """A second optimizer that maximises, as in dual ascent."""
    p = healthy()
    p.facts["optimizers"].append({"class": "SGD", "groups": [{"lr": 0.1, "maximize": True, "elements": elements}]})
    return p


def shrunk(ratio: float) -> Patient:
    track = np.geomspace(5.0, 5.0 * ratio, len(LOOKS))
    p = healthy().curve("weight_norm", track)
    p.tables["weight_norm"] = (LOOKS, WEIGHTS, [[value] * len(WEIGHTS) for value in track])
    return p


def blown_up() -> Patient:
    """Steps of half the weights' size; as the weights grow the ratio falls to the usual."""
    p = healthy()
    p.tables["update_ratio"] = (LOOKS, WEIGHTS, [[r] * len(WEIGHTS) for r in np.geomspace(0.6, 1e-3, len(LOOKS))])
    return p


def normed(p: Patient) -> Patient:
    p.facts["models"][0]["modules"].append({"name": "bn", "type": "BatchNorm1d", "order": 1, "settings": {}})
    return p


def warmed_up() -> Patient:
    ramp = np.minimum(np.arange(1, len(LOOKS) + 1) / 20, 1.0) * 2e-3 * np.linspace(1, 0, len(LOOKS))
    p = healthy()
    p.tables["update_ratio"] = (LOOKS, WEIGHTS, [[value] * len(WEIGHTS) for value in ramp])
    return p


def only_biases_leap() -> Patient:
    p = healthy()
    biases = [name.replace("weight", "bias") for name in WEIGHTS]
    return p.table("update_ratio", dict.fromkeys(WEIGHTS, 2e-3) | dict.fromkeys(biases, 3.0))


SICK = {
    "rate-above-usual": [
        ("Adam at 0.5", lambda: healthy().optimizer(**{"class": "Adam", "lr": 0.5, "momentum": 0.0})),
        ("SGD at 2 with momentum 0.9", lambda: healthy().optimizer(lr=2.0, momentum=0.9)),
    ],
    "rate-below-usual": [
        ("Adam at 1e-7", lambda: healthy().optimizer(**{"class": "Adam", "lr": 1e-7, "momentum": 0.0}))
    ],
    "update-ratio-high": [("half of it at first, then blown up", lambda: blown_up())],
    "update-ratio-low": [("a millionth", lambda: healthy().table("update_ratio", dict.fromkeys(WEIGHTS, 1e-6)))],
    "weights-shrinking": [("to a tenth", lambda: shrunk(0.1))],
    "weights-growing": [("a hundredfold", lambda: shrunk(100.0))],
    "decay-dominates": [("five times the gradient", lambda: healthy().level("decay_ratio", 5.0))],
    "eps-dominates": [("eps of one", lambda: adam(healthy().level("eps_ratio", 100.0)).optimizer(eps=1.0))],
    "optimizer-setting-odd": [
        ("momentum 0.99", lambda: healthy().optimizer(momentum=0.99)),
        ("momentum above one", lambda: healthy().optimizer(momentum=1.01)),
        ("maximize", lambda: healthy().optimizer(maximize=True)),
        ("another layer that climbs", lambda: dual(elements=640)),
        ("swapped betas", lambda: adam(healthy()).optimizer(betas=[0.999, 0.9])),
        ("short second moment", lambda: adam(healthy()).optimizer(betas=[0.5, 0.5])),
        ("eps", lambda: adam(healthy()).optimizer(eps=0.1)),
    ],
    "plain-sgd": [("no momentum", lambda: healthy().optimizer(momentum=0.0))],
    "adam-with-decay": [("L2", lambda: adam(healthy()).optimizer(weight_decay=0.01))],
    "few-updates-per-epoch": [("sixty in all", few_steps)],
    "few-updates": [("sixty in all", few_steps)],
    "decay-forgets": [
        ("half of it in five steps", lambda: decaying(healthy().optimizer(weight_decay=0.5), 0.05)),
        ("decoupled", lambda: decaying(healthy().optimizer(**{"class": "AdamW", "weight_decay": 30.0}), 3e-3)),
    ],
    "updates-lost-to-rounding": [("nothing changes", lambda: half(healthy(), unchanged_share=0.97))],
}

test_the_fault_raises_the_sign = sick(SICK)


HEALTHY = {
    "rate-above-usual": [
        ("Adam at 3e-3", lambda: healthy().optimizer(**{"class": "Adam", "lr": 3e-3, "momentum": 0.0})),
    ],
    "rate-below-usual": [
        ("fine-tuning", lambda: healthy().optimizer(**{"class": "AdamW", "lr": 5e-5, "momentum": 0.0})),
    ],
    "update-ratio-high": [
        ("biases from zero", only_biases_leap),
        ("a small network under adam", lambda: healthy().table("update_ratio", dict.fromkeys(WEIGHTS, 0.06))),
    ],
    "update-ratio-low": [
        ("warm-up and decay", warmed_up),
        (
            "frozen layers",
            lambda: healthy().table("update_ratio", dict.fromkeys(WEIGHTS[:5], 0.0) | {WEIGHTS[6]: 1e-3}),
        ),
    ],
    "weights-shrinking": [
        ("before batch norm", lambda: normed(shrunk(0.2))),
        ("a little", lambda: shrunk(0.7)),
        ("by the gradient alone", lambda: shrunk(0.1).optimizer(weight_decay=0.0)),
    ],
    "weights-growing": [("doubled", lambda: shrunk(2.5))],
    "decay-dominates": [("equal late", lambda: healthy().curve("decay_ratio", np.geomspace(0.01, 1.5, len(LOOKS))))],
    "eps-dominates": [("sparse embeddings", lambda: adam(healthy().level("eps_ratio", 1e4)))],
    "optimizer-setting-odd": [
        ("adam", lambda: adam(healthy())),
        ("gan", lambda: adam(healthy()).optimizer(betas=[0.0, 0.9])),
        ("language model", lambda: adam(healthy()).optimizer(betas=[0.9, 0.95])),
        ("nesterov 0.95", lambda: healthy().optimizer(momentum=0.95)),
        ("maximize a negated loss", lambda: healthy().optimizer(maximize=True).merge("graph", negated=True)),
        ("a multiplier that climbs", lambda: dual(elements=1)),
    ],
    "plain-sgd": [("momentum", healthy)],
    "adam-with-decay": [
        ("decoupled", lambda: adam(healthy()).optimizer(weight_decay=0.01, **{"class": "AdamW"})),
        ("flag", lambda: adam(healthy()).optimizer(weight_decay=0.01, decoupled_weight_decay=True)),
    ],
    "few-updates-per-epoch": [("full batch for long", lambda: few_steps(2000))],
    "few-updates": [("two thousand", lambda: few_steps(2000))],
    "decay-forgets": [
        ("usual", lambda: decaying(healthy().optimizer(weight_decay=5e-4), 0.1)),
        ("usual, decoupled", lambda: decaying(healthy().optimizer(**{"class": "AdamW", "weight_decay": 0.1}), 1e-3)),
        ("a long memory of short epochs", lambda: decaying(few_steps(2000).optimizer(weight_decay=0.01), 0.1)),
        ("within Adam", lambda: decaying(adam(healthy()).optimizer(weight_decay=10.0), 1e-2)),
    ],
    "updates-lost-to-rounding": [("zero gradients", lambda: half(healthy(), unchanged_share=0.6, grad_underflow=0.55))],
}

test_the_healthy_look_alike_does_not = calm(HEALTHY)
