"""The report model: plain JSON, packed numbers that come back as they were, and sections that say what a run lacks."""

from __future__ import annotations

import base64
import json
import zlib
from dataclasses import replace
from typing import Any

import numpy as np
import page_runs
import pytest

from traindx.diagnosis import diagnose
from traindx.diagnosis.treatment import Effect, Treatment, TrialReport
from traindx.record import RunBuilder, Series
from traindx.reports.page import report
from traindx.reports.page.model.charts import COARSE, curves, marks, packed, packed_values, timing
from traindx.reports.page.model.layers import histograms, layers


def numbers(text: str, kind: str = "<f4") -> np.ndarray:
    return np.frombuffer(zlib.decompress(base64.b64decode(text)), kind)


def model(run: Any) -> dict[str, Any]:
    return report(run, diagnose(run))


def chart(found: dict[str, Any], key: str) -> dict[str, Any]:
    return next(one for one in found["charts"] if one["key"] == key)


@pytest.mark.parametrize("kind", ["sick", "healthy", "log", "hostile"])
def test_it_is_strict_json(kind: str) -> None:
    made = {**page_runs.EVERY, "hostile": page_runs.hostile}[kind]()
    assert json.loads(json.dumps(model(made), allow_nan=False))["format"] == 1


def test_values_come_back() -> None:
    values = np.array([1.5, -2.25, 0.0, np.nan, np.inf, -np.inf, 1e300, -1e300, 1e-300])
    back = numbers(packed_values(values))
    assert back[:3].tolist() == [1.5, -2.25, 0.0]
    assert np.isnan(back[3])
    assert back[4:6].tolist() == [np.inf, -np.inf]
    assert np.isfinite(back[6:]).all()
    assert (np.sign(back[6:]) == [1, -1, 1]).all()


def test_coarse_values_keep_four_digits_and_what_is_not_finite() -> None:
    values = np.concatenate([np.random.default_rng(0).lognormal(0, 20, 5000), [np.nan, np.inf, -np.inf, 3.4e38]])
    back = numbers(packed_values(values, COARSE))
    held = values[:5000].astype(np.float32)
    normal = np.abs(held) > 1e-37
    assert np.abs(back[:5000][normal] / held[normal] - 1).max() < 1e-4
    assert np.isnan(back[5000])
    assert back[5001:5003].tolist() == [np.inf, -np.inf]
    assert np.isfinite(back[5003])


def test_even_steps_cost_nothing_and_others_come_back() -> None:
    even = packed(Series("a", np.arange(10, 100, 5), np.zeros(18)))
    assert even["steps"] == {"from": 10, "by": 5}
    steps = np.array([3, 4, 4, 9, 100_000])
    uneven = packed(Series("a", steps, np.zeros(5)))["steps"]
    assert np.cumsum([uneven["from"], *numbers(uneven["i32"], "<i4")]).tolist() == steps.tolist()


def test_steps_that_fall_back_are_put_in_order() -> None:
    found = packed(Series("a", np.array([5, 6, 1]), np.array([1.0, 2.0, 3.0])))
    assert numbers(found["values"]).tolist() == [3.0, 1.0, 2.0]


def test_a_learning_rate_holds_until_the_end() -> None:
    rate = chart(curves(page_runs.sick()), "rate")["lines"][0]
    assert rate["n"] == 3
    assert numbers(rate["values"])[-1] == np.float32(1.0)


def test_a_million_points_are_a_file_to_mail() -> None:
    found = curves(page_runs.huge())
    line = chart(found, "loss")["lines"][0]
    assert line["n"] == 1_000_000
    assert len(line["values"]) < 3_000_000
    assert numbers(line["values"]).max() == pytest.approx(9.0, rel=1e-3)


def test_layers_run_from_input_to_output_and_broken_gradients_are_infinite() -> None:
    builder = RunBuilder("a", "observed")
    builder.layers("grad_norm", [0, 5], ["b", "a"], [[1.0, 2.0], [np.nan, 3.0]]).event("nonfinite-gradient", 5)
    builder.fact("params", [{"name": "a", "depth": 0}, {"name": "b", "depth": 1}])
    found = layers(builder.build())
    assert found is not None
    quantity = found["quantities"][0]
    assert quantity["names"] == ["a", "b"]
    assert numbers(quantity["values"]).tolist() == [2.0, 3.0, 1.0, np.inf]


def test_a_network_of_many_layers_keeps_the_file_small() -> None:
    names = [f"block.{i}.weight" for i in range(900)]
    values = np.random.default_rng(0).lognormal(size=(1500, 900))
    found = layers(RunBuilder("a", "observed").layers("grad_norm", np.arange(1500), names, values).build())
    assert found is not None
    quantity = found["quantities"][0]
    assert quantity["left_out"] == 500
    assert len(quantity["values"]) < 300_000


def test_histograms_are_by_layer_and_anything_odd_is_left_out() -> None:
    good = {"name": "a", "low": -1.0, "high": 1.0, "counts": [1, 2]}
    wrong = [{"low": None}, {"high": -2.0}, {"counts": []}, {"counts": [0, 0]}, {"counts": [-1, 2]}, {"counts": "12"}]
    late = {"step": 9, "layers": [good, {**good, "name": "b"}]}
    kept: list[Any] = [late, {"step": 0, "layers": [good]}, {"step": "x", "layers": [good]}, 7]
    builder = RunBuilder("a", "observed").fact("activation_histograms", kept)
    shown = {key: good[key] for key in ("low", "high", "counts")}
    assert histograms(builder.build()) == {
        "a": [{"step": 0, **shown}, {"step": 9, **shown}],
        "b": [{"step": 9, **shown}],
    }
    odd = [{"step": 0, "layers": [{**good, **fault} for fault in wrong]}, {"step": 1, "layers": None}]
    assert histograms(builder.fact("activation_histograms", odd).build()) == {}
    assert histograms(RunBuilder("a", "observed").build()) == {}


def test_marks_are_onsets_and_events() -> None:
    run = page_runs.sick()
    found = marks(run, diagnose(run))
    assert {"onset", "loss-jump", "nonfinite-loss"} <= {mark["kind"] for mark in found}
    assert "Loss jumps from 3.1 to 40" in [mark["text"] for mark in found]


def test_evidence_leads_to_its_place() -> None:
    found = model(page_runs.sick())
    told = [*(item for cause in found["causes"] for item in cause["evidence"]), *found["symptoms"]]
    places = [item["place"] for item in told if item["place"]]
    assert any(place["panel"] == "loss" and place["step"] is not None for place in places)


@pytest.mark.parametrize(("devices", "waits"), [(["cpu"], False), (["cuda:0"], True)])
def test_the_parts_of_a_step_and_the_rest_of_the_script_are_the_step(devices: list[str], waits: bool) -> None:
    builder, steps = RunBuilder("a", "observed").fact("devices", devices), np.arange(50)
    for name, seconds in (("data", 0.004), ("forward", 0.002), ("backward", 0.003), ("step", 0.001), ("total", 0.03)):
        builder.series(f"time/{name}", steps, np.full(50, seconds))
    found = timing(builder.build())
    assert found is not None
    assert found["step_seconds"] == pytest.approx(0.03)
    assert found["parts"][-1]["seconds"] == pytest.approx(0.02)
    assert sum(part["seconds"] for part in found["parts"]) == pytest.approx(found["step_seconds"])
    assert ("waits for the device" in found["parts"][-1]["label"]) == waits


def test_a_step_of_parts_only_has_no_rest() -> None:
    builder = RunBuilder("a", "observed")
    for name in ("forward", "total"):
        builder.series(f"time/{name}", np.arange(50), np.full(50, 0.002))
    found = timing(builder.build())
    assert found is not None
    assert [part["name"] for part in found["parts"]] == ["time/forward"]


def test_a_log_has_no_layers_times_or_data() -> None:
    found = model(page_runs.log_only())
    assert [found[name] for name in ("layers", "timing", "data", "treatment")] == [None] * 4
    assert found["about"]["unit"] == "epoch"


@pytest.mark.parametrize(("patch", "says"), [("--- a/train.py\n", "patched script"), (None, "argument")])
def test_trials_are_told_with_both_arms(patch: str | None, says: str) -> None:
    run = page_runs.log_only()
    effect = Effect("final loss", 2.0, 0.5, -0.75, (-0.8, -0.7))
    trial = TrialReport("lower-lr", "Lower the learning rate", "lr-too-high", "cured", 3, effect, dose="0.1x")
    treated = Treatment(
        "cured", "A lower rate cures it.", [trial], cause="lr-too-high", patch=patch, confirmed_by_patched_run=True
    )
    found = report(run, replace(diagnose(run), treatment=treated))["treatment"]
    assert (found["word"], found["sentence"]) == ("Cured", "A lower rate cures it.")
    assert found["trials"][0]["effect"]["treated"] == 0.5
    assert any(says in text for text in found["remarks"])
    assert found["trials"][0]["curves"] is None


def test_curves_of_a_trial_share_a_scale_and_keep_their_holes() -> None:
    run = page_runs.log_only()
    (trial,) = report(run, page_runs.treated(run))["treatment"]["trials"]
    assert trial["curves"]["log"]  # the treated loss falls by more than a decade
    control, treated = trial["curves"]["lines"]
    assert (control["label"], treated["label"]) == ("Control", "Treated")
    assert np.isnan(numbers(control["values"])[-10:]).all()
    assert numbers(treated["values"])[[0, -1]] == pytest.approx([2.3, 2.3 * np.exp(-99 / 20)])


def test_a_cured_run_leads_with_its_cure() -> None:
    run = page_runs.sick()
    found = report(run, page_runs.treated(run))["verdict"]
    assert (found["state"], found["word"], found["title"]) == ("cured", "Cured", "Cured by: lower the learning rate")
    assert found["trial"] == 0 and not found["remedies"]
    cured = page_runs.treated(run)
    patched = replace(cured.treatment.trials[0], intervention="patch-script")
    cured = replace(cured, treatment=replace(cured.treatment, trials=[patched]))
    fault = next(h.title for h in cured.hypotheses if h.cause == patched.cause)
    assert report(run, cured)["verdict"]["title"].lower() == f"cured by the patch: {fault}".lower()
    assert [mark for mark, _ in found["fix"]["lines"]] == ["@", "-", "+"]


def test_the_first_screen_of_a_condition_has_its_onset_and_its_remedies() -> None:
    run = page_runs.sick()
    diagnosis = diagnose(run)
    found = report(run, diagnosis)
    first, condition = found["verdict"], diagnosis.conditions[0]
    assert found["conditions"][0]["leads"] and found["conditions"][0]["id"] == diagnosis.headline.id
    assert [move["text"] for move in first["remedies"]] == [remedy.text for remedy in condition.remedies]
    assert first["since"] == diagnosis.headline.since and first["title"].startswith(condition.title)
    assert f"{first['title']}: {first['told']}".lower() == diagnosis.summary.lower()


def test_networks_that_step_in_turn_share_a_column() -> None:
    values = [[1.0, np.nan], [np.nan, 2.0], [3.0, np.nan], [np.nan, 4.0]]
    found = layers(RunBuilder("a", "observed").layers("grad_norm", [0, 1, 10, 11], ["g", "d"], values).build())
    assert found is not None
    assert found["quantities"][0]["looks"] == 2
    assert numbers(found["quantities"][0]["values"]).tolist() == [1.0, 3.0, 2.0, 4.0]
