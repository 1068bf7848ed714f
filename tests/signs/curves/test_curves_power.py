"""Textbook curves of known truth: the sign that names the fault is raised at every seed."""

from __future__ import annotations

import numpy as np
import pytest

from traindx.record import Run, RunBuilder
from traindx.signs import Missing, all_signs, measure_all
from traindx.signs.curve import adversarial

SEEDS = range(12)


def run_of(train: np.ndarray, validation: np.ndarray | None = None, **more: np.ndarray) -> Run:
    steps = np.arange(1, len(train) + 1)
    built = RunBuilder("made", "log").series("loss/train", steps, train)
    if validation is not None:
        built.series("loss/validation", steps[-len(validation) :], validation)
    for name, values in more.items():
        built.series(name.replace("__", "/"), steps, values)
    return built.fact("log", {"step_unit": "epoch", "runs": 1}).build()


def time(n: int) -> np.ndarray:
    return np.linspace(0, 1, n)


def noisy(rng: np.random.Generator, level: np.ndarray, size: float) -> np.ndarray:
    return np.asarray(level * np.exp(size * rng.standard_normal(len(level))))


def falling(n: int, low: float = 0.1) -> np.ndarray:
    return low + 2.2 * np.exp(-5 * time(n))


def turning(n: int, rise: float, at: float = 0.4) -> np.ndarray:
    t = time(n)
    return np.asarray(0.6 * (1 + 2 * np.maximum(0, 1 - t / at) ** 2) * (1 + rise * np.maximum(0, t - at) / (1 - at)))


@pytest.mark.parametrize("epochs", [10, 30, 100])
@pytest.mark.parametrize("rise", [0.08, 0.2, 0.6, 2.0])
def test_overfitting(rise: float, epochs: int) -> None:
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        run = run_of(noisy(rng, falling(epochs), 0.01), noisy(rng, turning(epochs, rise), 0.004))
        sign = measure_all(run)["validation-rising"]
        assert sign.raised, (seed, sign.text)
        assert rise < 0.1 or sign.severity != "info", sign
        assert "epoch" in sign.text and "training loss fell" in sign.text


def test_ten_epochs_that_end_nine_percent_above_the_minimum() -> None:
    validation = np.array([1.02, 0.81, 0.735, 0.71, 0.702, 0.709, 0.718, 0.735, 0.75, 0.7624])
    sign = measure_all(run_of(np.linspace(1.1, 0.25, 10), validation))["validation-rising"]
    assert sign.raised and sign.onset == 5
    assert sign.values["rise"] == pytest.approx(0.086, abs=0.001) and "8.6 %" in sign.text


@pytest.mark.parametrize("rows", [[0.85, 2.4, 6e4, 1e13], [2.3, 2.9, 40.0, 1e6, 1e9], [3.0, 1.0, 0.8, 5.0, 700.0]])
def test_a_handful_of_rows_that_explode(rows: list[float]) -> None:
    sign = measure_all(run_of(np.array(rows)))["loss-diverged"]
    assert sign.raised and sign.severity == "critical"


@pytest.mark.parametrize("points", [30, 300, 3000])
def test_climbing_away_after_falling(points: int) -> None:
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        level = falling(points, 0.4)
        turn = points // 2
        level[turn:] = level[turn] * 3.0 ** (time(points - turn))
        level[0] *= 40  # a high first value hides nothing
        assert measure_all(run_of(noisy(rng, level, 0.05)))["loss-diverged"].severity == "critical", seed


@pytest.mark.parametrize("points", [20, 100, 1000])
def test_what_shows_no_learning_does_not_look_learned(points: int) -> None:
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        waves = (
            1 + 0.6 * np.where(np.arange(points) % 2, 1.0, -1.0),
            1 + 0.6 * np.sin(np.arange(points) / 2),
            1 + 0.6 * rng.choice([-1.0, 1.0], points),
            rng.uniform(0, 1, points),
        )
        for i, wave in enumerate(waves):
            signs = measure_all(run_of(wave))
            assert (signs.level("training-learned") or 0) < 0.5, (seed, i)


@pytest.mark.parametrize("epochs", [6, 30])
def test_validation_at_chance_beside_a_training_loss_near_zero(epochs: int) -> None:
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        run = run_of(noisy(rng, falling(epochs, 0.02), 0.03), noisy(rng, np.full(epochs, 2.303), 0.01))
        assert measure_all(run)["validation-never-improves"].severity == "warning", seed


def test_accuracy_at_chance_beside_a_loss_of_1e13() -> None:
    rng = np.random.default_rng(0)
    loss = 1e13 * np.exp(-np.arange(20) / 10)
    accuracy = 0.1 + 0.002 * rng.standard_normal(20)
    sign = measure_all(run_of(loss, loss, accuracy__validation=accuracy))["accuracy-at-chance"]
    assert sign.severity == "critical" and sign.values["chance"] == pytest.approx(0.1)
    learned = np.linspace(0.1, 0.8, 20)
    found = all_signs()["accuracy-at-chance"].measure(run_of(falling(20), accuracy__validation=learned))
    assert isinstance(found, Missing) or found.level < 0.5


def test_a_log_of_accuracies_alone_is_judged_by_them() -> None:
    steps = np.arange(30)
    built = RunBuilder("made", "log").series("accuracy/validation", steps, 0.9 - 0.8 * np.exp(-steps / 5))
    sign = measure_all(built.build())["no-learning-signal"]
    assert not sign.raised and "accuracy" in sign.text


def test_the_metric_improves_while_the_objective_gets_worse() -> None:
    accuracy = np.linspace(0.6, 0.85, 30)
    sign = measure_all(run_of(falling(30), turning(30, 0.4), accuracy__validation=accuracy))["validation-rising"]
    assert sign.raised and sign.severity == "info"
    assert "validation accuracy improved" in sign.text


def test_a_spike_is_matched_with_the_learning_rate_that_rose_there() -> None:
    rng = np.random.default_rng(1)
    loss, rate = noisy(rng, falling(300, 0.5), 0.02), np.full(300, 1e-3)
    loss[150:156] *= np.linspace(6, 1.5, 6)
    rate[150:] = 1e-2
    sign = measure_all(run_of(loss, lr=rate))["loss-spike"]
    assert sign.values["coincides"]["lr-rose"] == {"step": 151, "from": 1e-3, "to": 1e-2}
    assert "learning rate rose from 0.001 to 0.01" in sign.text
    quiet = measure_all(run_of(loss, lr=np.full(300, 1e-3)))["loss-spike"]
    assert "lr-rose" not in quiet.values["coincides"]


def test_a_spike_is_matched_with_a_restart_and_a_gradient_norm() -> None:
    rng = np.random.default_rng(2)
    loss, norm = noisy(rng, falling(300, 0.5), 0.02), noisy(rng, np.ones(300), 0.1)
    loss[200:203] *= 5
    norm[200] = 60.0
    steps = np.arange(1, 301)
    built = RunBuilder("made", "log").series("loss/train", steps, loss).series("grad_norm", steps, norm)
    run = built.fact("log", {"resumed_at": [201], "step_unit": "step"}).build()
    assert set(measure_all(run)["loss-spike"].values["coincides"]) == {"restart", "gradient-norm"}


def test_nan_is_told_with_its_circumstances() -> None:
    loss, norm = falling(100), np.ones(100)
    loss[80:], norm[70:80], norm[80:] = np.nan, np.geomspace(2, 400, 10), np.nan
    steps = np.arange(1, 101)
    built = RunBuilder("made", "log").series("loss/train", steps, loss).series("grad_norm", steps, norm)
    run = built.fact("log", {"config": {"fp16": True}, "step_unit": "step"}).build()
    sign = measure_all(run)["loss-not-finite"]
    assert sign.severity == "critical" and sign.onset == 81
    assert sign.values["precision"] == "float16" and sign.values["grad_norm_before"] == 400
    assert "float16" in sign.text and "gradient norm had grown" in sign.text


def test_every_step_clipped_by_the_settings_of_a_log() -> None:
    steps = np.arange(60)
    norm = noisy(np.random.default_rng(0), np.full(60, 30.0), 0.2)
    built = RunBuilder("made", "log").series("loss/train", steps, falling(60)).series("grad_norm", steps, norm)
    sign = measure_all(built.fact("log", {"config": {"max_grad_norm": 1.0}}).build())["clip-share"]
    assert sign.value == 1.0 and sign.raised and sign.values["threshold"] == 1.0


def observed_accuracy(accuracy: np.ndarray, until: int, loss: np.ndarray) -> Run:
    """Accuracies of training batches, at looks spread up to step `until` of as many steps as there are losses."""
    built = RunBuilder("made", "observed").series("loss/train", np.arange(len(loss)), loss)
    built.series("accuracy/train", np.linspace(0, until, len(accuracy)).astype(int), accuracy)
    built.fact("targets/train", {"histogram": {"0": 550, "1": 450}})
    return built.fact("losses", [{"fn": "cross_entropy", "phase": "train"}]).fact("steps", len(loss)).build()


def test_accuracies_of_single_samples_or_of_the_first_steps_say_nothing_of_the_end() -> None:
    rng = np.random.default_rng(0)
    flat = noisy(rng, np.full(500, 0.69), 0.02)
    guesses = observed_accuracy(0.52 + 0.03 * rng.standard_normal(40), 499, flat)
    assert measure_all(guesses)["accuracy-at-chance"].raised
    single = observed_accuracy((rng.random(40) < 0.4).astype(float), 499, flat)
    assert "accuracy-at-chance" in measure_all(single).missing
    early = observed_accuracy(0.52 + 0.03 * rng.standard_normal(40), 300, flat)
    assert "accuracy-at-chance" in measure_all(early).missing


def test_an_accuracy_below_a_common_class_is_no_doubt_where_the_loss_is_far_below_chance() -> None:
    rng = np.random.default_rng(0)
    common = RunBuilder("made", "observed").series("loss/train", np.arange(300), falling(300, 0.05))
    common.series("accuracy/train", np.arange(0, 300, 10), 0.94 + 0.005 * rng.standard_normal(30))
    common.fact("targets/train", {"histogram": {"0": 950, "1": 50}}).fact("steps", 300)
    common.fact("losses", [{"fn": "cross_entropy", "phase": "train"}])
    assert not measure_all(common.build())["accuracy-at-chance"].raised


@pytest.mark.parametrize(("begins", "competes"), [(0, True), (150, False)])
def test_networks_that_are_trained_one_after_the_other_do_not_compete(begins: int, competes: bool) -> None:
    built = RunBuilder("made", "observed").series("loss/train", np.arange(300), falling(300))
    built.series("loss/train/1", np.arange(begins, 300), falling(300 - begins))
    steps = 300 - begins if begins else 150
    built.fact("optimizers", [{"steps": 150, "first_step": 0}, {"steps": steps, "first_step": begins}])
    assert adversarial(built.build()) == competes
