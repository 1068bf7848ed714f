"""What a comparison concludes: which setting, how sure, what is confounded, what cannot be said."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from made_runs import STEPS, losses, outcomes, run_of

from traindx.comparison import Comparison, Metric, compare
from traindx.comparison.effects import Setting, effects_of
from traindx.comparison.outcome import measured, outcome_of
from traindx.record import Run, RunBuilder, Series

RATES = {0.001: 0.3, 0.01: 0.8, 0.1: 1.5}


def told(comparison: Comparison) -> str:
    return " ".join(comparison.statement)


def test_the_setting_that_matters_is_named_and_the_idle_one_is_not() -> None:
    runs = [run_of(RATES[lr], s, lr=lr, width=width) for lr, width, s in itertools.product(RATES, (16, 32), (1, 2, 3))]
    found = compare(outcomes(*runs))
    assert found.effects[0].settings == ("lr",)
    assert found.effects[0].p_value is not None and found.effects[0].p_value < 0.01
    assert found.effects[0].levels[0][0] == "0.001"
    assert "lr very likely explains" in told(found)
    assert "Not significant: width" in told(found)
    assert found.entries[0].settings["lr"] == 0.001


def test_repeats_convince_where_ranks_of_six_runs_cannot() -> None:
    runs = [run_of(RATES[lr], s, lr=lr) for lr in (0.001, 0.1) for s in (1, 2, 3)]
    found = compare(outcomes(*runs))
    assert found.noise is not None and found.noise.runs == 6
    assert found.effects[0].p_value is not None and found.effects[0].p_value < 0.01


def test_two_runs_cannot_say() -> None:
    assert "2 runs cannot show" in told(compare(outcomes(run_of(0.3, 1, lr=1), run_of(0.9, 2, lr=2))))
    both = compare(outcomes(run_of(0.3, 1, lr=1, wd=5), run_of(0.9, 2, lr=2, wd=6)))
    assert "differ in 2 settings" in told(both) and "2 runs cannot show" in told(both)


def test_chance_is_not_taken_for_an_effect() -> None:
    """Over many draws of pure noise, few settings are called likely."""
    alarms = 0
    for draw in range(60):
        generator = np.random.default_rng(draw)
        settings = [Setting(name, tuple(generator.integers(0, 3, 12).tolist())) for name in "abc"]
        effects, _ = effects_of(settings, generator.normal(size=12))
        alarms += any(e.p_value is not None and e.p_value < 0.05 for e in effects)
    assert alarms <= 8


def test_settings_always_changed_together_are_said_to_be_confounded() -> None:
    runs = [run_of(RATES[lr], s, name=f"{lr}{s}", lr=lr, wd=lr * 2) for lr in RATES for s in range(1, 6)]
    found = compare(outcomes(*runs))
    assert found.effects[0].settings == ("lr", "weight_decay")
    assert "always changed together" in told(found)


def test_a_setting_that_mostly_follows_another_is_a_rival() -> None:
    generator = np.random.default_rng(0)
    first = np.linspace(0, 1, 24)
    second = first + 0.05 * generator.normal(size=24)
    score = first + second + 0.3 * generator.normal(size=24)
    effects, _ = effects_of([Setting("a", tuple(first)), Setting("b", tuple(second))], score)
    assert effects[0].rival is not None
    apart, _ = effects_of([Setting("a", tuple(first)), Setting("c", tuple(generator.permutation(first)))], score)
    assert apart[0].settings == ("a",) and apart[0].rival is None


def test_equal_settings_are_called_noise() -> None:
    found = compare(outcomes(*[run_of(0.5, s, name=f"r{s}", lr=1) for s in range(4)]))
    assert not found.differing and "No recorded setting" in told(found)


def test_a_broken_run_is_last_and_said_to_be_broken() -> None:
    runs = [run_of(0.3, s, lr=0.1, broken=s == 2) for s in range(5)]
    found = compare(outcomes(*runs))
    assert found.entries[-1].value is None and math.isinf(found.entries[-1].score)
    assert found.entries[-1].final is None
    assert "1 of 5 runs ended in NaN/Inf" in told(found)


def test_steps_to_a_level_and_a_level_never_reached() -> None:
    found = compare(outcomes(run_of(0.3, 1, lr=1), run_of(1.0, 2, lr=2)), level=0.6)
    good, poor = found.entries
    assert good.reached is not None
    assert 0.3 + 2 * np.exp(-good.reached / 60) == pytest.approx(0.6, abs=0.1)
    assert poor.reached is None


def test_a_higher_metric_turns_the_ranking() -> None:
    runs = []
    for value in (0.2, 0.9):
        builder = RunBuilder(f"made/{value}.csv", "csv").series("loss/train", STEPS, losses(1.0, 3))
        runs.append(builder.series("raw/psnr", STEPS, np.full(len(STEPS), value)).fact("log", {"config": {}}).build())
    metric = Metric("psnr", higher_is_better=True)
    found = compare([outcome_of(run, metric) for run in runs], metric)
    assert [entry.best for entry in found.entries] == [0.9, 0.2]


def test_copies_are_found_and_other_seeds_are_not() -> None:
    def run(name: str, values: Any, lr: float) -> Run:
        builder = RunBuilder(f"made/{name}.csv", "csv").series("loss/train", STEPS, values)
        return builder.fact("log", {"config": {"lr": lr}}).build()

    curve = losses(0.5, 1)
    runs = [run("a", curve, 1), run("b", curve, 2), run("c", losses(0.5, 2), 1), run("d", losses(0.9, 3), 1)]
    [group] = compare(outcomes(*runs)).duplicates
    assert sorted(group.names) == ["a", "b"]
    assert group.identical and group.settings_differ
    [near] = compare(outcomes(runs[0], run("e", curve + 1e-6, 1), runs[2])).duplicates
    assert sorted(near.names) == ["a", "e"]
    assert not near.identical and not near.settings_differ


def test_a_lucky_batch_is_not_the_best_level() -> None:
    values = np.full(100, 1.0)
    values[50] = 0.01
    assert measured(Series("loss/train", np.arange(100), values), False).best == 1.0
    evaluations = measured(Series("loss/validation", np.arange(10), values[45:55]), False)
    assert evaluations.best == 0.01


def test_a_setting_that_some_logs_do_not_tell_explains_nothing() -> None:
    told = [run_of(0.5 + 0.01 * seed, seed, lr=0.1, batch_size=32, optimizer="adam", depth=4) for seed in range(3)]
    silent = [run_of(1.5 + 0.01 * seed, seed, lr=0.1) for seed in range(3, 6)]
    compared = compare(outcomes(*told, *silent))
    assert not [effect for effect in compared.effects if {"batch_size", "optimizer", "depth"} & set(effect.settings)]


def test_a_flag_that_full_configurations_leave_out_may_explain() -> None:
    common = {"lr": 0.1, "batch_size": 32, "depth": 4}
    with_flag = [run_of(0.5 + 0.01 * seed, seed, warmup=100, **common) for seed in range(3)]
    without = [run_of(1.5 + 0.01 * seed, seed, **common) for seed in range(3, 6)]
    assert [effect for effect in compare(outcomes(*with_flag, *without)).effects if "warmup" in effect.settings]
