"""Signs of validation curves: each raised by its fault, and quiet beside it."""

from __future__ import annotations

import math

import numpy as np
import pytest
from healthy_curves import build, steps, time
from sick_curves import N, learning, measure, noisy, quiet, raised, rng

from traindx.record import RunBuilder
from traindx.signs import Missing, all_signs


def with_validation(train: np.ndarray, validation: np.ndarray) -> RunBuilder:
    every = len(train) // len(validation)
    return build(train).series("loss/validation", (np.arange(len(validation)) + 1) * every - 1, validation)


@pytest.mark.parametrize("n", [6, 25, 200])
def test_validation_rises(n: int) -> None:
    t = time(n)
    validation = noisy(0.6 + 1.0 * (t - 0.3) ** 2, 0.005)
    sign = raised("validation-rising", with_validation(noisy(learning(), 0.01), validation), "critical", "warning")
    assert sign.onset == pytest.approx(0.3 * N, abs=0.2 * N)


def test_validation_rises_over_three_evaluations() -> None:
    builder = build(noisy(learning(), 0.01)).series("loss/validation", [133, 266, 399], [0.9, 1.0, 1.3])
    assert raised("validation-rising", builder, "warning").onset == 133
    quiet(
        "validation-rising", build(noisy(learning())).series("loss/validation", [133, 266, 399], [0.395, 0.416, 0.389])
    )


def test_validation_noise_is_no_rise() -> None:
    t = time(60)
    quiet("validation-rising", with_validation(noisy(learning()), noisy(0.6 + np.exp(-8 * t), 0.06)))


@pytest.mark.parametrize("from_end", [1, 3])
def test_a_validation_loss_that_ends_at_its_lowest_did_not_rise(from_end: int) -> None:
    t = time(80)
    validation = noisy(0.3 + 0.1 * np.maximum(0.5 - t, 0) + 0.08 * np.maximum(t - 0.5, 0), 0.01)
    raised("validation-rising", with_validation(noisy(learning()), validation))
    validation[-from_end] = 0.98 * validation.min()
    assert measure("validation-rising", with_validation(noisy(learning()), validation)).level == 0


def test_validation_gap_from_the_start() -> None:
    train = noisy(learning())
    validation = 4 * train[19::20]
    raised("validation-gap", with_validation(train, validation), "info")
    quiet("validation-gap", with_validation(train, 1.2 * train[19::20]))
    raised("train-above-validation", with_validation(train, train[19::20] / 4), "info")
    quiet("train-above-validation", with_validation(train, train[19::20] / 1.2))


def test_validation_at_chance() -> None:
    validation = math.log(10) + 0.02 * rng().standard_normal(20) + 0.05
    facts = {"losses": [{"fn": "cross_entropy", "phase": "train"}], "targets/train": {"classes": 10}}
    builder = with_validation(noisy(0.1 + 2.2 * np.exp(-8 * time(N))), validation)
    quiet("validation-at-chance", builder)
    for key, value in facts.items():
        builder.fact(key, value)
    raised("validation-at-chance", builder, "critical")


CLASSES_10 = {"losses": [{"fn": "cross_entropy", "phase": "train"}], "targets/train": {"classes": 10}}


@pytest.mark.parametrize("end", [0.05, 0.6, 1.5, 2.0, 2.3])
def test_how_much_was_learned(end: float) -> None:
    """Against a second reckoning: what is left of ln(10), 1 at 35 % and less, 0 at 80 % and more."""
    builder = with_validation(np.linspace(2.4, end, N), np.linspace(2.4, end, 20))
    for key, value in CLASSES_10.items():
        builder.fact(key, value)
    for sign, curve in (
        ("training-learned", np.linspace(2.4, end, N)),
        ("validation-learned", np.linspace(2.4, end, 20)),
    ):
        left = float(np.median(curve[-max(len(curve) // 10, 3) :])) / math.log(10)
        wanted = min(1.0, max(0.0, (0.8 - left) / (0.8 - 0.35)))
        assert measure(sign, builder).level == pytest.approx(wanted, abs=0.02)


def test_without_chance_a_loss_must_fall_far_to_count_as_learned() -> None:
    assert measure("training-learned", build(np.linspace(4.0, 2.5, N))).level == 0.0
    assert measure("training-learned", build(4.0 * np.exp(-6 * time(N)))).level == 1.0


def test_accuracy_shows_learning_where_the_loss_does_not() -> None:
    histogram = {str(label): 10 for label in range(10)}
    builder = build(noisy(learning())).series("accuracy/validation", range(0, N, 10), np.linspace(0.1, 0.9, N // 10))
    builder.fact("targets/train", {"classes": 10, "histogram": histogram})
    assert measure("validation-learned", builder).level == 1.0


def test_a_return_from_where_the_first_updates_threw_the_loss_is_no_learning() -> None:
    thrown = np.concatenate([[0.01], 1000 * np.exp(-np.arange(299) / 3)])
    assert measure("training-learned", build(noisy(thrown + 0.69, 0.02))).level == 0
    assert measure("training-learned", build(noisy(thrown + 0.69 - 0.6 * time(300), 0.02))).level > 0.5
    assert measure("training-learned", build(noisy(thrown[1:] + 0.69, 0.02))).level > 0.5, "no value before it is known"


def test_validation_still_improving() -> None:
    falling = np.exp(-1.5 * time(20))
    sign = raised("validation-still-improving", with_validation(noisy(learning()), falling), "info")
    # from the tenth point on, by hand
    assert sign.values["gain"] == pytest.approx(1 - falling[-1] / falling[9], abs=0.03)
    settled = 0.4 + np.exp(-12 * time(20))
    quiet("validation-still-improving", with_validation(noisy(learning()), settled))
    turned = falling + 2 * np.maximum(0.0, time(20) - 0.7)
    quiet("validation-still-improving", with_validation(noisy(learning()), turned))
    spent = with_validation(noisy(learning()), falling).series("lr", steps(N), np.linspace(1e-3, 0.0, N))
    quiet("validation-still-improving", spent)


def test_much_to_gain() -> None:
    """By hand: of a loss that falls in a line from 2.4 to 1.4 about half comes late, a fifth of ln(10)."""
    falling = build(np.linspace(2.4, 1.4, N))
    for key, value in CLASSES_10.items():
        falling.fact(key, value)
    sign = raised("much-to-gain", falling, "info")
    assert sign.value == pytest.approx(0.4 / math.log(10), abs=0.01)  # from the middle of one fifth to that of another
    tail = build(noisy(0.1 + 2.3 * np.exp(-8 * time(N))))
    quiet("much-to-gain", tail)
    halving = build(0.02 * np.exp(-1.4 * time(N)) * np.where(time(N) < 0.05, 115, 1.0))
    quiet("much-to-gain", halving)
    other_units = build(np.linspace(30.0, 10.0, N))  # falls by more than lies between chance and zero
    for key, value in CLASSES_10.items():
        other_units.fact(key, value)
    assert isinstance(all_signs()["much-to-gain"].measure(other_units.build()), Missing)
    quiet("much-to-gain", build(np.linspace(2.4, 1.4, N)).series("lr", steps(N), np.linspace(1e-3, 0.0, N)))


def test_double_descent() -> None:
    t = time(60)
    hump = 0.5 + np.exp(-12 * t) + 0.35 * np.exp(-(((t - 0.5) / 0.12) ** 2)) - 0.15 * t
    raised("validation-double-descent", with_validation(noisy(learning(600)), noisy(hump, 0.01)), "info")
    quiet("validation-double-descent", with_validation(noisy(learning(600)), noisy(0.5 + np.exp(-5 * t), 0.05)))


def gap(best_validation: float) -> RunBuilder:
    """Training goes from 2.3 to nearly nothing; validation stays where it is from half way on."""
    training = noisy(0.02 + 2.28 * np.exp(-8 * time(N)))
    validation = np.maximum(best_validation, 2.3 * np.exp(-8 * time(20)))
    return build(training).series("loss/validation", steps(N)[::20], validation)


def test_a_validation_loss_that_stays_half_way_is_a_gap() -> None:
    raised("generalisation-gap", gap(1.3), "warning", "info")


def test_a_validation_loss_that_follows_is_none() -> None:
    quiet("generalisation-gap", gap(0.1))


# ── losses that cannot be compared as they stand ─────────────────────────────────────────────────


def with_losses(run: RunBuilder, *calls: tuple[str, str, float | None]) -> RunBuilder:
    facts = [
        {"fn": fn, "phase": phase, "calls": 9, "reduction": "mean", "value_ratio": ratio} for fn, phase, ratio in calls
    ]
    return run.fact("losses", facts)


def test_another_loss_in_evaluations_makes_no_gap() -> None:
    run = with_validation(learning(), np.full(10, 2.0))
    assert measure("generalisation-gap", run).level > 0.5
    other = with_losses(run, ("smooth_l1_loss", "train", 1.0), ("mse_loss", "eval", None))
    assert isinstance(all_signs()["generalisation-gap"].measure(other.build()), Missing)


def test_a_loss_divided_for_accumulation_is_compared_whole() -> None:
    quarter = 0.25 * learning()
    run = with_validation(quarter, learning()[N // 10 - 1 :: N // 10])
    assert measure("generalisation-gap", run).level > 0.3
    told = with_losses(run, ("cross_entropy", "train", 0.25), ("cross_entropy", "eval", None))
    assert measure("generalisation-gap", told).level < 0.1


@pytest.mark.parametrize(("best", "falls"), [(0.106, False), (0.6, True)])
def test_an_accuracy_that_was_never_above_chance_is_not_lost_by_overfitting(best: float, falls: bool) -> None:
    """The share of one class among the evaluated samples moves with the class that is predicted."""
    accuracy = best * np.array([0.89, 0.95, 1.0, 0.95, 0.76] + 7 * [0.74])
    builder = build(noisy(learning())).series("accuracy/validation", 30 * np.arange(1, 13), accuracy)
    builder.fact("targets/train", {"histogram": {str(i): 100 for i in range(10)}})
    (raised if falls else quiet)("metric-gap", builder)


@pytest.mark.parametrize("lost", [False, True])
def test_a_metric_that_falls_is_no_overfitting_where_training_lost_it_too(lost: bool) -> None:
    """A collapse takes training and validation along; overfitting takes validation alone."""
    t = time(40)
    metric = np.where(t < 0.4, 0.3 + t, 0.2) + rng(5).normal(0, 0.004, 40)
    loss = noisy(learning(), 0.01)
    loss[int(0.4 * N) :] = loss[0] if lost else loss[int(0.4 * N) :]
    builder = build(loss).series("metric/validation/f1", (np.arange(40) + 1) * (N // 40) - 1, metric)
    (quiet if lost else raised)("metric-gap", builder)
