"""No run, however damaged, makes a sign fail; and a healthy one raises none."""

from __future__ import annotations

import math
import random
from copy import deepcopy
from functools import cache
from typing import Any

import numpy as np
import pytest
from observed_patient import LOOKS, RELUS, Patient, healthy, regression, squashed

from traindx.record import Run, RunBuilder
from traindx.signs import Missing, Sign, all_signs

ROOMS = ("gradients", "updates", "wiring", "outputs", "activations", "data", "cost", "scope", "probed", "deep")
OBSERVED = {name: m for name, m in all_signs().items() if m.family in ROOMS}
ODD: list[Any] = [
    None,
    "",
    "x",
    [],
    {},
    -1,
    0,
    math.nan,
    math.inf,
    1e308,
    True,
    [None],
    {"a": None},
    [[]],
    [{}],
    10**30,
]


FILLS = {"nan": math.nan, "inf": math.inf, "constant": 1.0, "zero": 0.0, "huge": 1e308}


def everything() -> Patient:
    """A run with all of the vocabulary, also what a healthy classifier does not have."""
    p = squashed().table("act_zero", dict.fromkeys(RELUS, 0.5)).table("act_dead", dict.fromkeys(RELUS, 0.05))
    p.level("clip/norm", 1.0).level("clip/threshold", 2.0, 0).level("eps_ratio", 1e-4).level("loss_scale", 1024.0)
    p.facts["error"] = {"type": "ValueError", "message": "no", "site": None, "in_training": True}
    p.facts["precision"] = {"param_dtypes": {"float16": 5}, "autocast": "float16", "scaler": True}
    p.facts["precision"] |= {"activations": ["float16"], "unchanged_share": 0.1, "grad_underflow": 0.1}
    p.facts["modes"] = {"train_forwards": 9, "train_forwards_in_eval_mode": 1, "first_eval_mode_step": 3}
    p.facts["modes"] |= {"eval_forwards": 4, "eval_forwards_in_train_mode": 0, "mode_layers": ["Dropout"]}
    p.facts["attention"] = [{"module": "a", "causal": True, "seen_future_weight": 0.0, "length": 8}]
    p.facts["shift_relation"] = {"checked": 3, "targets_are_next_inputs": True}
    p.facts["graph"] |= {"view_permutes": [{"from": [2, 3], "to": [3, 2]}], "linear_chain_shapes": [[4, 8], [8, 4]]}
    p.facts["graph"] |= {"broadcasts": [{"op": "SubBackward0", "shapes": [[4, 1], [4]], "out": [4, 4]}]}
    trial = {"result": "stuck", "steps": 200, "first": 2.3, "last": 2.2, "floor": 0.0, "trivial": 2.2, "factor": 1.0}
    p.facts["memorise"], p.facts["memorise/other_rates"] = trial, [trial | {"factor": 0.1, "result": "learnt"}]
    p.facts["dependence"] = {"depends_on_input": True, "mixes_samples": True, "mixed_pair": [0, 1], "sees_future": None}
    curvature = {"top": 5.0, "bottom": -2.0, "rate": 0.1}
    along = {"minimum": 1.5, "made_worse": False, "flat": False, "falls_on": False}
    look = {"along_step": along, "curvature": curvature, "mode_gap": {"train": 1.0, "train_spread": 0.1, "eval": 2.0}}
    look["noise_scale"] = {"value": 40.0, "low": 20.0, "high": None, "batch": 32}
    p.facts["deep"] = [{"step": 30 + i, "when": "step", **look} for i in range(5)]
    p.facts["spikes"] = [{"step": 9, "loss": 9.0, "earlier_weights": 8.0, "others": 0.1, "verdict": "data"}]
    p.facts["distributed"] = {"rank": 0, "world_size": 2}
    p.facts["losses"].append(dict(p.facts["losses"][0], fn="nll_loss"))
    p.facts["losses"].append(dict(p.facts["losses"][0], fn="MSELoss"))
    where = {"where": "forward", "module": "net.0", "op": "log", "site": None, "input_range": [0.0, 1.0]}
    p.event("nonfinite-loss", 90, value=math.nan, weights_finite=True, inputs_finite=True, update_ratio_before=1e-3)
    p.event("nonfinite-gradient", 90, param="net.0.weight", loss=1.0).event("nonfinite-origin", 90, **where)
    p.event("loss-jump", LOOKS[9], **{"from": 1.0, "to": 9.0}).event("step-skipped", 3)
    p.event("clip-before-unscale", 3, site=None, scale=1024.0, threshold=1.0).event("grads-kept", 2, optimizer=0)
    return p


def check(sign_id: str, run: Run) -> None:
    found = OBSERVED[sign_id].measure(run)
    assert isinstance(found, (Sign, Missing)) and found.id == sign_id
    if isinstance(found, Sign):
        assert found.text and "nan" not in found.text.split()
        assert isinstance(found.onset, (int, type(None)))


def test_all_rooms_are_covered() -> None:
    assert {m.family for m in OBSERVED.values()} == set(ROOMS)


@pytest.mark.parametrize("make", [healthy, squashed, regression])
def test_a_healthy_run_raises_nothing(make: Any) -> None:
    run = make().build()
    levels = {i: found for i, m in OBSERVED.items() if isinstance(found := m.measure(run), Sign)}
    assert {i: s.text for i, s in levels.items() if s.level > 0.25 and i not in DEEP} == {}
    assert len(levels) > 50


# The fixture is seven plain layers deep, and its sigmoid sister is what these two describe.
DEEP = {"squashing-depth"}


@pytest.mark.parametrize("sign_id", OBSERVED)
class TestDamage:
    def test_empty(self, sign_id: str) -> None:
        for kind in ("observed", "text"):
            found = OBSERVED[sign_id].measure(RunBuilder("x", kind).build())
            assert isinstance(found, Missing) or (kind == "observed" and sign_id == "reinforcement-learning")

    def test_one_point_nan_constant_and_disorder(self, sign_id: str) -> None:
        for run in damaged_runs():
            check(sign_id, run)

    def test_facts_of_wrong_types(self, sign_id: str) -> None:
        for run in mistyped_runs():
            check(sign_id, run)

    def test_leaves_of_wrong_types(self, sign_id: str) -> None:
        for run in spoiled_runs():
            check(sign_id, run)


@cache
def spoiled_runs() -> list[Run]:
    found = []
    for seed in range(30):
        random_ = random.Random(seed)
        p = everything()
        p.facts, p.events = deepcopy(p.facts), deepcopy(p.events)
        _spoil(p.facts, random_, 0.1)
        for event in p.events:
            _spoil(event.data, random_, 0.3)
        found.append(p.build())
    return found


@cache
def mistyped_runs() -> list[Run]:
    found = []
    for odd in ODD:
        p = everything()
        p.facts = dict.fromkeys(p.facts, odd)
        found.append(p.build())
    return found


@cache
def damaged_runs() -> list[Run]:
    found = [everything().build()]
    for shape in ("one", "nan", "inf", "constant", "zero", "huge", "repeated", "unordered", "empty"):
        p = everything()
        for name, (steps, values) in p.series.items():
            places, chosen = _damaged(shape, steps, values)
            p.series[name] = (list(places), list(chosen))
        for name, (steps, layers, rows) in p.tables.items():
            places, order = _damaged(shape, steps, list(range(len(rows))))
            fill = FILLS.get(shape)
            chosen = [rows[int(i)] for i in order] if fill is None else np.full(np.shape(rows), fill).tolist()
            p.tables[name] = (list(places), layers, chosen)
        found.append(p.build())
    return found


def _damaged(shape: str, steps: list[int], values: list[Any]) -> tuple[list[int], list[Any]]:
    n = len(steps)
    if shape in ("one", "empty"):
        return steps[: shape == "one"], values[: shape == "one"]
    if shape == "repeated":
        return [steps[0]] * n, values
    if shape == "unordered":
        return steps[::-1], values
    if all(isinstance(value, int) for value in values):
        return steps, values
    return steps, [FILLS[shape]] * n


def _spoil(node: Any, random_: random.Random, share: float) -> None:
    """Replace a share of all leaves and branches, in place."""
    places = list(node.items()) if isinstance(node, dict) else list(enumerate(node)) if isinstance(node, list) else []
    for key, value in places:
        if random_.random() < share:
            node[key] = deepcopy(random_.choice(ODD))
        else:
            _spoil(value, random_, share)
