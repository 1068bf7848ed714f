"""What the lab report holds of a run."""

from __future__ import annotations

import math

import numpy as np
import pytest
from facts_samples import builder, run

from traindx.diagnosis import diagnose
from traindx.facts import (
    WIRING,
    Sample,
    all_quantities,
    facts_of,
    made_from,
    of_runs,
    shipped,
    unusual_of,
)
from traindx.facts.report import about_signs
from traindx.record import RunBuilder
from traindx.signs import all_signs, measure_all


def of(found, **options):
    return facts_of(found, measure_all(found), **options)


def by_id(facts):
    return {fact.id: fact for fact in facts}


def test_every_quantity_answers_a_question_and_names_signs_that_exist() -> None:
    for quantity in all_quantities().values():
        assert quantity.question
        assert not quantity.name.endswith(".")
        assert quantity.grain > 0
        for sign in {quantity.sign, *quantity.kin} - {""}:
            assert sign in all_signs(), quantity.id


def test_shipped_ranges_are_of_quantities_that_exist() -> None:
    assert set(shipped().ranges) <= set(all_quantities())


def test_a_healthy_run_has_few_unusual_facts() -> None:
    facts = [fact for fact in of(run()) if fact.question != WIRING]
    assert len(facts) > 30
    assert sum(fact.flag in ("HH", "LL") for fact in facts) <= len(facts) // 10


def test_update_ratios_against_a_naive_median() -> None:
    found = run(3)
    values = found.layers("update_ratio").values
    naive = float(np.median([np.median(values[:, i]) for i in range(4)]))
    fact = by_id(of(found))["update-ratio"]
    assert fact.value == pytest.approx(naive)
    assert fact.stratum in ("observed/adaptive/linear", "observed/linear", "observed")


def test_gradient_spread_against_a_naive_computation() -> None:
    made = builder()
    looks = np.arange(0, 200, 20)
    norms = np.tile([1.0, 0.1, 0.01, 10.0], (len(looks), 1))
    made.layers("grad_norm", looks, [f"layer{i}.weight" for i in range(4)], norms)
    fact = by_id(of(made.build()))["gradient-norm-spread"]
    assert fact.value == pytest.approx(3.0)
    assert fact.where == "smallest in layer2.weight"


def test_what_a_sign_measured_is_not_measured_again() -> None:
    found = run(dead=0.93)
    signs = measure_all(found)
    facts = by_id(facts_of(found, signs))
    assert facts["dead-units/median"].value == signs["dead-units"].values["median"]
    assert facts["dead-units/worst"].where == signs["dead-units"].values["layer"]


def test_an_unusual_layer_is_among_the_most_unusual_of_a_run() -> None:
    found = run(dead=0.97)
    assert "dead-units" in {all_quantities()[fact.id].sign for fact in unusual_of(facts_of(found, measure_all(found)))}


def test_the_most_unusual_facts_are_about_different_things() -> None:
    found = run(dead=0.97)
    chosen = unusual_of(of(found), 10)
    for i, one in enumerate(chosen):
        for other in chosen[i + 1 :]:
            assert not about_signs(all_quantities()[one.id]) & about_signs(all_quantities()[other.id])


def test_facts_are_in_the_order_of_their_surprise() -> None:
    flags = [fact.flag for fact in of(run(dead=0.97)) if fact.question != WIRING]
    rank = {"HH": 0, "LL": 0, "H": 1, "L": 1, "": 2, None: 3}
    assert [rank[flag] for flag in flags] == sorted(rank[flag] for flag in flags)


def test_a_fact_says_all_of_it() -> None:
    fact = by_id(of(run(dead=0.97)))["dead-units/median"]
    assert fact.text.startswith("Dead units, median layer")
    assert "97 %" in fact.text or "98 %" in fact.text
    assert f"n = {fact.n}" in fact.text
    assert fact.reference is not None
    assert fact.percentile is not None


def test_no_fact_names_a_cause() -> None:
    from traindx.causes import all_causes

    titles = {cause.title.lower() for cause in all_causes().values()}
    for fact in of(run(dead=0.97)):
        assert not any(title in fact.text.lower() for title in titles)


def test_wiring_has_its_lines() -> None:
    wiring = {fact.id: fact for fact in of(run()) if fact.question == WIRING}
    loss = wiring["wiring/loss"]
    assert loss.where == "train.py:12"
    assert "from -5 to 4, made by Addmm" in loss.text
    assert "(50, 10) float32" in loss.text
    assert wiring["wiring/optimizer"].where == "train.py:3"
    assert "weight_decay 0.01" in wiring["wiring/settings"].text
    assert "shuffled" in wiring["wiring/loader"].text
    assert all(fact.reference is None and fact.flag is None for fact in wiring.values())


def test_a_log_of_two_columns_gets_what_its_curve_shows() -> None:
    steps = np.arange(60)
    log = RunBuilder("log.csv", "csv").series("loss/train", steps, 2.0 * np.exp(-steps / 20) + 0.1)
    facts = of(log.fact("log", {"columns": {"loss/train": "loss"}}).build())
    assert "loss-stuck" in by_id(facts)
    assert all(fact.stratum.partition("/")[0] in ("", "log") for fact in facts)


def test_a_record_without_anything_has_no_facts() -> None:
    facts = of(RunBuilder("empty.tdx", "observed").build())
    assert [fact for fact in facts if fact.flag] == []


def test_numbers_that_are_not_finite_are_no_facts() -> None:
    made = builder()
    made.layers("update_ratio", [0, 20, 40, 60], ["layer0.weight"], [[math.inf], [math.nan], [math.inf], [math.nan]])
    assert all(isinstance(f.value, int | float) is False or math.isfinite(f.value) for f in of(made.build()))


def test_what_a_person_says_is_no_measurement() -> None:
    assert of(RunBuilder("told", "interview").fact("told", {"facts": [], "signs": {}}).build()) == []


def test_a_narrow_stratum_serves_where_it_is_known() -> None:
    found = run()
    both = [
        Sample("update-ratio", stratum, value * (1 + i / 100), str(i), "zoo")
        for stratum, value in (("observed", 1.0), ("observed/adaptive/linear", 2e-3))
        for i in range(30)
    ]
    fact = by_id(of(found, reference=made_from(both, {}, runs=5, hosts=5)))["update-ratio"]
    assert fact.stratum == "observed/adaptive/linear"
    assert fact.flag in ("", "L", "H")
    coarse = made_from([s for s in both if s.stratum == "observed"], {}, runs=5, hosts=5)
    assert by_id(of(found, reference=coarse))["update-ratio"].flag == "LL"


def good_runs(count: int = 20, **changes):
    runs = [run(seed, **changes) for seed in range(count)]
    return [(one, measure_all(one)) for one in runs]


def test_a_private_reference_tells_a_run_like_the_others_from_one_that_is_not() -> None:
    like, unlike = run(100), run(101, dead=0.97)
    reference = of_runs(good_runs(), like)
    assert reference.note == ""
    assert by_id(of(like, reference=reference))["dead-units/median"].flag in ("", "H", "L")
    assert by_id(of(unlike, reference=reference))["dead-units/median"].flag == "HH"
    assert by_id(of(unlike, reference=reference))["dead-units/median"].n == 20


def test_a_private_reference_of_another_kind_is_said_to_be_so() -> None:
    assert "another kind of network" in of_runs(good_runs(module="Conv2d"), run()).note
    (*layers, last) = builder(module="Conv2d").build().facts["params"]
    ends_linear = builder(module="Conv2d").fact("params", [*layers, {**last, "module": "Linear"}]).build()
    assert "another kind of network" in of_runs(good_runs(), ends_linear).note, "nearly every network ends in one"
    assert "at least 3" in of_runs(good_runs(2), run()).note
    log = RunBuilder("log.csv", "csv").series("loss/train", [0, 1, 2], [3.0, 2.0, 1.0]).build()
    assert "observed runs" in of_runs(good_runs(), log).note


def test_the_diagnosis_carries_its_facts() -> None:
    diagnosis = diagnose(run(dead=0.97))
    assert [fact.id for fact in diagnosis.facts] == [fact.id for fact in of(run(dead=0.97))]


def test_a_damaged_record_costs_a_theme_and_not_the_report(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TRAINDX_STRICT")
    made = builder()
    for key in ("modes", "precision", "clipping", "distributed", "data/train", "targets/train", "error", "by_hand"):
        made.fact(key, {"threshold": [], "param_dtypes": 3, "mean": "x", "histogram": [1], "world_size": "many"})
    made.fact("schedulers", [{"settings": 3, "steps": "x"}]).fact("loaders", [3, {"size": "x", "batch_size": []}])
    facts = of(made.build())
    assert {"wiring/optimizer", "wiring/loss"} <= set(by_id(facts))
    assert any(fact.reference for fact in facts)


@pytest.mark.parametrize(("shift", "given"), [(0.0, True), (-0.4, False)])
def test_a_loss_that_crosses_zero_has_no_ratios(shift, given) -> None:
    losses = 1.0 / np.arange(1.0, 101.0) + shift
    losses[60] += 30.0
    facts = by_id(of(RunBuilder("log.csv", "log").series("loss/train", range(100), losses).build()))
    for name in ("loss-spike/log_ratio", "loss-diverged", "early-instability"):
        assert (name in facts) == given, name
