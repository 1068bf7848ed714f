"""Signs of activations and of what the model is built of."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from observed_patient import (
    LINEARS,
    LOOKS,
    RELUS,
    WEIGHTS,
    Patient,
    calm,
    healthy,
    measured,
    missing,
    mlp_modules,
    module,
    sick,
    squashed,
)


def scaled_init(gain: float, *names: str) -> Patient:
    """Deviations that are `gain` / sqrt(fan_in)."""
    p = healthy()
    return p.each_param(lambda e: e.update(init_std=gain / math.sqrt(e["fan_in"])), *(names or WEIGHTS))


def with_parameter(name: str, kind: str, shape: list[int]) -> Patient:
    p = healthy()
    p.facts["params"].append({**p.facts["params"][0], "name": name, "module": "", "kind": kind, "shape": shape})
    return p


def both_embeddings() -> Patient:
    p = with_parameter("items.weight", "embedding", [500, 16])
    p.facts["params"].append({**p.facts["params"][-1], "name": "bias.weight", "shape": [500, 1]})
    return p


def with_norms(p: Patient) -> Patient:
    p.facts["models"][0]["modules"] += [module(f"ln{i}", "LayerNorm", 20 + i) for i in range(6)]
    return p


def spread(factor: float) -> Patient:
    return healthy().table("act_std", {name: factor**i for i, name in enumerate(LINEARS)})


def constant(*names: str, mean: float = 0.0) -> Patient:
    return healthy().params(*names, constant=True, rows_identical=1.0, init_mean=mean, init_std=0.0)


def chain(length: int, **graph: Any) -> Patient:
    return healthy().merge("graph", linear_chain=length, **graph)


def low_rank() -> Patient:
    """64 to 8 to 64: the first map of the pair has a narrow output, and the second widens it again."""
    p = two_layers(chain(2, linear_maps=2, linear_chain_shapes=[[32, 64], [32, 8]]))
    return p.params(WEIGHTS[0], shape=[8, 64]).params(WEIGHTS[1], shape=[64, 8])


def neighbourhoods() -> Patient:
    """A graph network: each of two layers multiplies by a fixed matrix after its weights."""
    return two_layers(chain(2, linear_maps=4, linear_chain_shapes=[[600, 24], [600, 24]]))


def two_layers(p: Patient) -> Patient:
    keep = WEIGHTS[:2]
    p.facts["params"] = [entry for entry in p.facts["params"] if entry["name"] in keep]
    return p


def stack(kind: str, number: int, extra: str = "") -> Patient:
    found = []
    for i in range(number):
        found += [module(f"l{i}", "Linear", 3 * i), module(f"a{i}", kind, 3 * i + 1)]
        found += [module(f"n{i}", extra, 3 * i + 2)] if extra else []
    return healthy().modules(*found, module("out", "Linear", 3 * number))


def deep(layers: int, norms: int = 0, additions: int = 0) -> Patient:
    p = healthy().without("params")
    p.modules(
        *(module(f"l{i}", "Linear", i) for i in range(layers)),
        *(module(f"n{i}", "BatchNorm1d", layers + i) for i in range(norms)),
    )
    return p.merge("graph", ops={"AddmmBackward0": layers, "AddBackward0": additions})


def dropping(p: float, order: int | None = 3) -> Patient:
    return healthy().modules(*mlp_modules(), module("drop", "Dropout", order, p=p))


def output_sigmoid(share: float) -> Patient:
    """A binary classifier: hidden sigmoids at ease, the output where it should be, at its limits."""
    p = squashed()
    p.facts["models"][0]["modules"].append(module("out", "Sigmoid", 13))
    return p.table("act_saturated", dict.fromkeys(RELUS, 0.05) | {"out": share}, 0.01)


SICK = {
    "dead-units": [
        ("everywhere", lambda: healthy().table("act_dead", dict.fromkeys(RELUS, 0.8), 0.01)),
        ("one layer", lambda: healthy().table("act_dead", dict.fromkeys(RELUS, 0.02) | {RELUS[2]: 0.97}, 0.005)),
    ],
    "sparse-activations": [("nearly all zero", lambda: healthy().table("act_zero", dict.fromkeys(RELUS, 0.95), 0.01))],
    "saturated-units": [("everywhere", lambda: squashed().table("act_saturated", dict.fromkeys(RELUS, 0.8), 0.01))],
    "preactivations-large": [("everywhere", lambda: squashed().table("preact_large", dict.fromkeys(RELUS, 0.8), 0.01))],
    "init-scale-small": [("a twentieth", lambda: scaled_init(0.03))],
    "init-scale-large": [
        ("standard normal", lambda: scaled_init(8.0)),
        ("one layer", lambda: scaled_init(60.0, WEIGHTS[2])),
    ],
    "activation-variance-shrinks": [("a tenth a layer", lambda: spread(0.1))],
    "activation-variance-grows": [("ten times a layer", lambda: spread(10.0))],
    "rows-identical": [
        ("all zero", lambda: constant(*WEIGHTS)),
        ("half constant", lambda: constant(*WEIGHTS[:3], mean=0.1)),
        ("rows repeat", lambda: healthy().params(*WEIGHTS[:4], rows_identical=1.0)),
    ],
    "narrow-layer": [
        ("two units", lambda: healthy().params(WEIGHTS[2], shape=[2, 64]).params(WEIGHTS[3], shape=[64, 2])),
        ("one unit", lambda: healthy().params(WEIGHTS[0], shape=[1, 20]).params(WEIGHTS[1], shape=[64, 1])),
        ("two units of memory", lambda: with_parameter("rnn.weight_hh_l0", "weight", [8, 2])),
        ("one number a word", lambda: with_parameter("words.weight", "embedding", [500, 1])),
    ],
    "linear-chain": [
        ("four layers", lambda: chain(4)),
        ("residual blocks of linear maps", lambda: chain(2, linear_maps=7, nonlinearities=0)),
        ("the whole model", lambda: two_layers(chain(2, linear_maps=2, linear_chain_shapes=[[32, 10], [32, 64]]))),
        ("past attention", lambda: chain(5, ops={"SoftmaxBackward0": 2})),
    ],
    "squashing-depth": [("six sigmoids", lambda: stack("Sigmoid", 6)), ("twenty tanhs", lambda: stack("Tanh", 20))],
    "recurrent-or-deep-plain": [
        ("rnn", lambda: healthy().modules(module("rnn", "RNN", 0))),
        ("twenty plain layers", lambda: deep(20)),
        ("by hand", lambda: deep(2).merge("graph", ops={"AddmmBackward0": 60})),
    ],
    "strong-dropout": [("0.8", lambda: dropping(0.8))],
}

test_the_fault_raises_the_sign = sick(SICK)


HEALTHY = {
    "dead-units": [("a fifth", lambda: healthy().table("act_dead", dict.fromkeys(RELUS, 0.2)))],
    "sparse-activations": [("half", healthy)],
    "saturated-units": [("a sigmoid output", lambda: output_sigmoid(0.95))],
    "preactivations-large": [("ordinary", squashed)],
    "init-scale-small": [
        ("default", healthy),
        ("transformer of width 32", lambda: with_norms(scaled_init(0.02 * math.sqrt(32)))),
        ("small last layer", lambda: scaled_init(0.001, WEIGHTS[-1])),
        ("zero-initialised branches", lambda: constant(*WEIGHTS[2:4])),
    ],
    "init-scale-large": [
        ("kaiming", lambda: scaled_init(math.sqrt(2))),
        ("a table of positions", lambda: scaled_init(60.0, WEIGHTS[2]).params(WEIGHTS[2], module="Tagger")),
        ("loaded", lambda: scaled_init(8.0).params(*WEIGHTS[1:], loaded=True).each_param(_default, WEIGHTS[0])),
    ],
    "activation-variance-shrinks": [("default", lambda: spread(0.6)), ("small output", lambda: last_layer(1e-6))],
    "activation-variance-grows": [("residual", lambda: spread(1.4)), ("large output", lambda: last_layer(1e6))],
    "rows-identical": [
        ("zero-initialised output", lambda: constant(WEIGHTS[-1])),
        ("zero-initialised branch", lambda: constant(WEIGHTS[3])),
        ("adapters beside frozen layers", lambda: constant(*WEIGHTS[4:6]).params(*WEIGHTS[:3], requires_grad=False)),
        ("loaded", lambda: constant(*WEIGHTS[:3], mean=0.1).params(*WEIGHTS[:3], loaded=True)),
    ],
    "narrow-layer": [
        ("one output", lambda: healthy().params(WEIGHTS[-1], shape=[1, 64])),
        ("a head on a branch", lambda: healthy().params(WEIGHTS[2], shape=[3, 64])),
        ("sixteen units", lambda: healthy().params(WEIGHTS[2], shape=[16, 64]).params(WEIGHTS[3], shape=[64, 16])),
        ("sixteen units of memory", lambda: with_parameter("rnn.weight_hh_l0", "weight", [64, 16])),
        ("a bias beside an embedding", lambda: both_embeddings()),
        ("four numbers an item", lambda: with_parameter("items.weight", "embedding", [500, 4])),
    ],
    "linear-chain": [
        ("pair in a larger model", lambda: chain(2)),
        ("value and output of attention", lambda: chain(3, ops={"SoftmaxBackward0": 2})),
        ("low rank on purpose", low_rank),
        ("fixed matrices", neighbourhoods),
    ],
    "squashing-depth": [
        ("two", lambda: stack("Sigmoid", 2)),
        ("normed", lambda: stack("Sigmoid", 8, "BatchNorm1d")),
        ("tanh", lambda: stack("Tanh", 5)),
    ],
    "recurrent-or-deep-plain": [
        ("normed", lambda: deep(20, norms=18)),
        ("residual", lambda: deep(20, additions=9)),
        ("shallow", lambda: deep(4)),
    ],
    "strong-dropout": [("0.5", lambda: dropping(0.5)), ("unused", lambda: dropping(0.9, None)), ("none", healthy)],
}


def _default(entry: dict[str, Any]) -> None:
    entry["init_std"] = 1 / math.sqrt(3 * entry["fan_in"])


def last_layer(value: float) -> Patient:
    return healthy().table("act_std", dict.fromkeys(LINEARS, 1.0) | {LINEARS[-1]: value})


test_the_healthy_look_alike_does_not = calm(HEALTHY, 0.35)


NEEDS = {
    "act_dead": ["dead-units"],
    "act_zero": ["sparse-activations"],
    "act_saturated": ["saturated-units"],
    "preact_large": ["preactivations-large"],
    "params": ["init-scale-small", "init-scale-large", "rows-identical", "narrow-layer"],
    "act_std": ["activation-variance-shrinks", "activation-variance-grows"],
    "graph": ["linear-chain"],
    "models": ["strong-dropout"],
}


@pytest.mark.parametrize(("need", "sign_id"), [(need, sign_id) for need, ids in NEEDS.items() for sign_id in ids])
def test_missing_without_its_data(need: str, sign_id: str) -> None:
    assert missing(sign_id, healthy().without(need)).reason


@pytest.mark.parametrize("sign_id", ["squashing-depth", "recurrent-or-deep-plain"])
def test_missing_without_modules_and_graph(sign_id: str) -> None:
    assert missing(sign_id, healthy().without("models", "graph")).reason


def test_dead_units_wait_for_enough_batches() -> None:
    p = healthy()
    steps, layers, rows = p.table("act_dead", dict.fromkeys(RELUS, 0.95), 0).tables["act_dead"]
    p.tables["act_dead"] = (steps[:4], layers, rows[:4])
    assert missing("dead-units", p).reason


def test_dead_units_read_the_last_look_and_date_the_death() -> None:
    p = healthy()
    rows = [[0.1 if step < LOOKS[20] else 0.9] * len(RELUS) for step in LOOKS]
    p.tables["act_dead"] = (LOOKS, RELUS, rows)
    sign = measured("dead-units", p)
    assert sign.value == 0.9 and sign.onset == LOOKS[20]


def test_a_linear_model_started_at_zero_is_no_symmetry() -> None:
    p = constant(WEIGHTS[0])
    p.facts["params"] = p.facts["params"][:2]
    assert missing("rows-identical", p).reason


def test_gain_of_drawn_weights() -> None:
    """The gain of normal weights with deviation 0.1 and 64 inputs is 0.8, whoever computes it."""
    drawn = np.random.default_rng(0).normal(0, 0.1, (500, 64))
    p = healthy().params(*WEIGHTS, init_std=float(drawn.std()), fan_in=64)
    assert measured("init-scale-small", p).value == pytest.approx(0.8, rel=0.02)


def test_recurrence_names_the_layer() -> None:
    assert "encoder" in measured("recurrent-or-deep-plain", healthy().modules(module("encoder", "LSTM", 0))).text
