"""Signs of experiments (`memorise`, `dependence`) and of deeper looks (`deep`, `spikes`), each against a second, naive
way to the same number, over generated facts."""

from __future__ import annotations

import math
import random
from statistics import median
from typing import Any

import pytest
from observed_patient import healthy, measured

from traindx.record import RunBuilder
from traindx.signs import Missing, Sign, all_signs, by_experiment

SEEDS = range(40)


def measure(sign: str, loss: float = 2.3, **facts: Any) -> Sign | Missing:
    builder = RunBuilder("x", "observed").series("loss/train", range(10), [loss] * 10)
    for key, value in facts.items():
        builder.fact(key.replace("__", "/"), value)
    found: Sign | Missing = all_signs()[sign].measure(builder.build())
    return found


def tried(result: str, factor: float = 1.0, **more: Any) -> dict[str, Any]:
    return {
        "result": result,
        "steps": 200,
        "first": 2.3,
        "last": 2.2,
        "floor": 0.0,
        "trivial": 2.2,
        "factor": factor,
    } | more


def test_a_plain_run_holds_none_of_them() -> None:
    run = healthy().build()
    for name in by_experiment():
        assert isinstance(all_signs()[name].measure(run), Missing), name


# ── one batch ───────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("seed", SEEDS)
def test_what_is_left_of_one_batch(seed: int) -> None:
    draw = random.Random(seed)
    floor, top = sorted((draw.uniform(0, 1), draw.uniform(1.1, 3)))
    last = draw.uniform(floor, top)
    found = measure("one-batch-not-learnt", memorise=tried("stuck", first=top + 1, last=last, floor=floor, trivial=top))
    assert isinstance(found, Sign) and found.raised and found.severity == "critical"
    share = (last - floor) / (top - floor)
    assert found.value == pytest.approx(share)
    naive = 0.5 if share < 0.3 else 1.0 if share > 0.5 else (share - 0.1) / 0.4
    assert found.level == pytest.approx(max(0.5, naive))


def test_a_learnt_batch_is_no_complaint_and_an_unknown_one_is_missing() -> None:
    learnt = measure("one-batch-not-learnt", memorise=tried("learnt", last=0.01))
    assert isinstance(learnt, Sign) and learnt.level == 0
    for result in ("unknown", "falling"):
        found = measure("one-batch-not-learnt", memorise=tried(result, why_not="it could not be pinned"))
        assert isinstance(found, Missing) and found.reason == "it could not be pinned"


@pytest.mark.parametrize("own", ["learnt", "stuck", "not finite", "unknown"])
@pytest.mark.parametrize("lower", ["learnt", "stuck", "not finite", "unknown"])
@pytest.mark.parametrize("higher", ["learnt", "stuck", "not finite", "unknown"])
def test_the_rate_at_which_one_batch_is_learnt(own: str, lower: str, higher: str) -> None:
    facts = {"memorise": tried(own), "memorise__other_rates": [tried(lower, 0.1), tried(higher, 10.0)]}
    for sign, result in (("one-batch-needs-lower-rate", lower), ("one-batch-needs-higher-rate", higher)):
        found = measure(sign, **facts)
        if own != "learnt" and result == "unknown":
            assert isinstance(found, Missing)
        else:
            assert isinstance(found, Sign)
            assert found.raised == (own in ("stuck", "not finite") and result == "learnt")


# ── dependence ──────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("sign", "key", "bad"),
    [("samples-mixed", "mixes_samples", True), ("output-ignores-input", "depends_on_input", False)],
)
def test_what_the_output_depends_on(sign: str, key: str, bad: bool) -> None:
    for value in (True, False):
        found = measure(sign, dependence={key: value, "mixed_pair": [0, 3]})
        assert isinstance(found, Sign) and found.raised == (value is bad)
    why = {"samples": "a reason", "input": "a reason"}
    found = measure(sign, dependence={key: None, "why_not": why})
    assert isinstance(found, Missing) and found.reason == "a reason"


def test_the_mixed_pair_is_named() -> None:
    found = measure("samples-mixed", dependence={"mixes_samples": True, "mixed_pair": [2, 5]})
    assert isinstance(found, Sign) and "sample 2 depends on sample 5" in found.text


@pytest.mark.parametrize("sees", [True, False])
def test_what_was_tried_decides_whether_the_future_is_visible(sees: bool) -> None:
    # The attention weights say the opposite of the experiment.
    p = healthy()
    p.facts["shift_relation"] = {"checked": 3, "targets_are_next_inputs": True}
    p.facts["attention"] = [{"module": "a", "seen_future_weight": 0.0 if sees else 0.5}]
    p.facts["dependence"] = {"sees_future": sees, "future_position": 4}
    assert measured("future-visible", p).raised == sees


# ── deeper looks ────────────────────────────────────────────────────────────────────────────────


def along(step: int, minimum: float | None, worse: bool, **more: Any) -> dict[str, Any]:
    return {
        "step": step,
        "along_step": {"minimum": minimum, "made_worse": worse, "flat": False, "falls_on": False} | more,
    }


@pytest.mark.parametrize("seed", SEEDS)
def test_the_share_of_steps_that_make_it_worse(seed: int) -> None:
    draw = random.Random(seed)
    looks = [along(6 * i, draw.uniform(-1, 3), draw.random() < seed / 40, flat=draw.random() < 0.2) for i in range(12)]
    counted = [look for look in looks if not look["along_step"]["flat"]]
    found = measure("steps-make-worse", deep=looks)
    if len(counted) < 4:
        assert isinstance(found, Missing)
        return
    share = sum(look["along_step"]["made_worse"] for look in counted) / len(counted)
    assert isinstance(found, Sign) and found.value == pytest.approx(share)
    assert found.level == pytest.approx(min(1.0, max(0.0, (share - 0.4) / 0.5)))


@pytest.mark.parametrize("seed", SEEDS)
def test_the_edge_of_stability(seed: int) -> None:
    draw = random.Random(seed)
    tops, rate = [10 ** draw.uniform(-1, 3) for _ in range(5)], 10 ** draw.uniform(-3, 0)
    looks = [{"step": i, "curvature": {"top": top, "bottom": -0.1, "rate": rate}} for i, top in enumerate(tops)]
    found = measure("beyond-stability-edge", deep=looks)
    product = median(tops) * rate
    assert isinstance(found, Sign) and found.value == pytest.approx(product)
    assert found.level == pytest.approx(min(1.0, max(0.0, math.log(product / 2.5) / math.log(6 / 2.5))))


def test_other_optimizers_have_another_edge() -> None:
    assert isinstance(
        measure("beyond-stability-edge", deep=[{"step": 1, "curvature": {"top": 9, "rate": None}}]), Missing
    )


@pytest.mark.parametrize(("bottom", "top", "raised"), [(-5.0, 8.0, True), (-0.1, 8.0, False), (0.2, 8.0, False)])
def test_a_saddle_bends_downward_clearly(bottom: float, top: float, raised: bool) -> None:
    found = measure("at-saddle", deep=[{"step": 9, "curvature": {"top": top, "bottom": bottom}}])
    assert isinstance(found, Sign) and found.raised == raised and found.severity == "info"


@pytest.mark.parametrize("seed", SEEDS)
def test_modes_disagree_where_evaluation_is_clearly_worse(seed: int) -> None:
    draw = random.Random(seed)
    train, evaluated, spread = draw.uniform(0.01, 2), draw.uniform(0.01, 8), draw.uniform(0, 0.2)
    look = {"train": train, "train_spread": spread, "eval": evaluated}
    found = measure("modes-disagree", deep=[{"step": 60, "mode_gap": look}])
    ratio = evaluated / train
    naive = min(1.0, max(0.0, math.log(ratio / 2) / math.log(2.5)))
    if evaluated - train <= 3 * spread + 0.05:
        naive = 0.0
    assert isinstance(found, Sign) and found.level == pytest.approx(naive)
    assert isinstance(measure("modes-disagree", deep=[{"step": 8, "mode_gap": look}]), Missing)


@pytest.mark.parametrize("seed", SEEDS)
def test_spikes_by_their_origin_and_height(seed: int) -> None:
    draw = random.Random(seed)
    spikes = [
        {"step": i, "loss": 10 ** draw.uniform(-1, 2), "earlier_weights": 1.0, "others": 0.1, "verdict": v}
        for i, v in enumerate(draw.choices(["data", "step"], k=3))
    ]
    for verdict in ("data", "step"):
        found = measure(f"spike-from-{verdict}", loss=2.0, spikes=spikes)
        heights = [spike["loss"] / 2.0 for spike in spikes if spike["verdict"] == verdict]
        assert isinstance(found, Sign)
        high = min(1.0, max(0.0, math.log(max(heights) / 0.5) / math.log(4))) if heights else 0.0
        assert found.level == pytest.approx(len(heights) / 3 * high)
    assert isinstance(measure("spike-from-data", spikes=[]), Missing)


def test_one_hard_batch_late_in_training_is_no_bad_batch() -> None:
    spike = {"step": 900, "loss": 0.12, "earlier_weights": 0.12, "others": 0.02, "verdict": "data"}
    found = measure("spike-from-data", spikes=[spike])
    assert isinstance(found, Sign) and not found.raised


@pytest.mark.parametrize("fact", [{"probe": {"kind": "first-steps"}}, {"devices": ["cpu"]}])
def test_our_own_looks_do_not_hide_the_wait_for_data(fact: dict[str, Any]) -> None:
    p = healthy()
    for part, seconds in {"data": 0.02, "forward": 0.003, "backward": 0.001, "step": 0.001, "total": 0.08}.items():
        p.level(f"time/{part}", seconds, 0.01)
    assert not measured("data-wait", p).raised
    p.facts.update(fact)
    found = measured("data-wait", p)
    assert found.raised and found.value == pytest.approx(0.8, rel=0.05)
