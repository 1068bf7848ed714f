"""Constructed courses with a known fault: the sign is raised, at the right step, with the right severity."""

from __future__ import annotations

import math

import numpy as np
import pytest
from healthy_curves import build, steps, time
from sick_curves import N, learning, noisy, quiet, raised, rng

from traindx.record import RunBuilder

# ── not finite ──────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_lost_from_a_step_on(bad: float) -> None:
    loss = noisy(learning())
    loss[250:] = bad
    assert raised("loss-not-finite", build(loss), "critical").onset == 250


def test_one_bad_point_is_a_note() -> None:
    loss = noisy(learning())
    loss[250] = np.nan
    sign = raised("loss-not-finite", build(loss), "info")
    assert sign.onset == 250 and sign.level == 0.5


def test_many_bad_points_are_more_than_a_note() -> None:
    loss = noisy(learning())
    loss[50:350:7] = np.nan
    raised("loss-not-finite", build(loss), "warning")


def test_zero_beside_a_nan_norm() -> None:
    loss, norm = noisy(learning(40)), np.full(40, 1.3)
    loss[30:], norm[30:] = 0.0, np.nan
    sign = raised("loss-not-finite", build(loss).series("grad_norm", steps(40), norm), "critical")
    assert sign.onset == 30


def test_sudden_exact_zero() -> None:
    loss = noisy(1 + learning(40))
    loss[30:] = 0.0
    assert raised("loss-not-finite", build(loss), "critical").onset == 30
    quiet("loss-not-finite", build(np.maximum(0.0, np.linspace(1, -0.5, 60))))  # a hinge loss that gets there


def test_saturated_constant() -> None:
    loss = np.concatenate([noisy(learning(40)), np.full(60, 87.3365)])
    assert raised("loss-not-finite", build(loss), "critical").onset == 40


def test_empty_cells() -> None:
    builder = build(noisy(learning(40))).series("lr", steps(60), np.full(60, 1e-3)).fact("log", {"runs": 1})
    assert raised("loss-not-finite", builder, "critical").onset == 40


def test_norm_lost_while_the_loss_is_finite() -> None:
    norm = np.ones(100)
    norm[80:] = np.nan
    assert raised("loss-not-finite", build(noisy(learning(100))).series("grad_norm", steps(100), norm)).onset == 80
    norm = np.ones(100)
    norm[0] = np.inf  # loss scaling finds its level
    assert raised("loss-not-finite", build(noisy(learning(100))).series("grad_norm", steps(100), norm), "info")


# ── spikes and divergence ───────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("length", [1, 5, 30])
def test_a_spike_comes_back(length: int) -> None:
    loss = noisy(learning())
    loss[200 : 200 + length] *= 6 * np.exp(-np.arange(length) / max(1, length / 2))
    builder = build(loss)
    sign = raised("loss-spike", builder, "warning")
    assert sign.onset == 200 and sign.values["outcome"] == "back"
    quiet("loss-diverged", builder)


def test_a_jump_that_stays_has_diverged() -> None:
    loss = noisy(learning())
    loss[300:] += 2.0
    builder = build(loss)
    assert raised("loss-diverged", builder, "critical").onset == pytest.approx(300, abs=3)
    quiet("loss-spike", builder)


def test_a_jump_that_settles_higher_has_diverged() -> None:
    after = np.maximum(0.0, np.arange(N) - 250)
    loss = noisy(learning() + (after > 0) * (0.8 + 15 * np.exp(-after / 10)))
    assert raised("loss-diverged", build(loss), "critical").onset == pytest.approx(251, abs=2)


@pytest.mark.parametrize("n", [24, 400, 20000])
def test_a_slow_climb_has_diverged(n: int) -> None:
    t = time(n)
    loss = noisy(learning(n) * np.exp(2.0 * np.maximum(0.0, t - 0.5)), 0.05)
    sign = raised("loss-diverged", build(loss), "critical")
    assert sign.onset is not None and 0.35 * n <= sign.onset <= 0.75 * n


def test_the_record_ends_upon_a_jump() -> None:
    builder = RunBuilder("excerpt", "log").series("loss/train", [900, 901, 902, 903], [3.06, 3.1, 3.05, 7.7])
    assert raised("loss-spike", builder).onset == 903
    climbing = RunBuilder("excerpt", "log").series("loss/train", range(900, 950, 10), [6.37, 6.6, 7.3, 9.1, 10.2])
    raised("loss-diverged", climbing)


def test_thrown_out_by_the_first_steps() -> None:
    loss = 50 * np.exp(0.4 * rng().standard_normal(N))
    loss[:3] = [2.3, 11.0, 140.0]
    assert raised("loss-diverged", build(loss), "critical").onset in (1, 2)
    lucky = 0.5 * rng().exponential(1.0, N)
    lucky[0] = 0.005  # one easy batch at the start
    quiet("loss-diverged", build(lucky))


def test_growth_by_powers_of_ten_in_a_handful_of_rows() -> None:
    exploded = RunBuilder("excerpt", "log").series("loss/train", range(8), [0.14, 2e4, 7e4, 3e4, 1e5, 4e5, 2e5, 1.2e6])
    assert raised("loss-diverged", exploded, "critical").onset == 1
    averaged = RunBuilder("excerpt", "log").series("loss/train", range(8), [0.02, 1.9, 1.2, 0.7, 1.6, 0.8, 2.1, 1.1])
    quiet("loss-diverged", averaged)  # one easy batch at the start


def test_evaluation_on_training_data_diverges_alone() -> None:
    evaluated = np.concatenate([np.linspace(4, 2, 15), np.linspace(2, 40, 25)])
    builder = build(noisy(learning())).series("loss/validation/training_data", np.arange(40) * 10, evaluated)
    assert raised("loss-diverged", builder, "critical").values["series"] == "Loss evaluated on training data"


def test_the_wrong_way_from_the_start() -> None:
    loss = noisy(1 + 0.5 * time(N), 0.05)
    assert raised("loss-heads-wrong-way", build(loss), "warning", "critical").onset == 0
    raised("loss-diverged", build(loss))
    quiet("loss-heads-wrong-way", build(loss[::-1]))
    turned = noisy(np.abs(time(N) - 0.3) + 0.5)
    quiet("loss-heads-wrong-way", build(turned))


def test_early_instability() -> None:
    t = np.arange(N)
    loss = noisy(1 + 8 * np.exp(-t / 60) + 20 * np.exp(-(((t - 12) / 4) ** 2)))
    assert raised("early-instability", build(loss), "info").onset == pytest.approx(12, abs=3)
    quiet("early-instability", build(noisy(learning())))


@pytest.mark.parametrize("period", [25, 40])
def test_periodic_spikes(period: int) -> None:
    loss = noisy(learning())
    loss[10::period] *= 3
    sign = raised("spikes-periodic", build(loss))
    assert sign.value == pytest.approx(period, abs=1)
    random = noisy(learning())
    random[rng(3).choice(np.arange(20, N), 10, replace=False)] *= 3
    quiet("spikes-periodic", build(random))


def test_gradient_norm_spikes() -> None:
    norm = np.exp(0.3 * rng(1).standard_normal(N))
    quiet("gradients-spiking", build(noisy(learning())).series("grad_norm", steps(N), norm))
    norm[200:203] = [60.0, 200.0, 9.0]
    alone = build(noisy(learning())).series("grad_norm", steps(N), norm)
    assert raised("gradients-spiking", alone, "info").onset == 200
    loss = noisy(learning())
    loss[201:205] *= 4
    raised("gradients-spiking", build(loss).series("grad_norm", steps(N), norm), "warning")


# ── flat and slow ───────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("n", [30, 400, 20000])
def test_plateau_high_up(n: int) -> None:
    loss = noisy(1.5 + 0.8 * np.exp(-30 * time(n)), 0.01)
    sign = raised("loss-plateau", build(loss), "warning")
    assert sign.onset is not None and sign.onset < 0.35 * n
    quiet("loss-stuck", build(loss))


def test_plateau_in_the_light_of_the_rate() -> None:
    loss, t = noisy(1.5 + 0.8 * np.exp(-30 * time(N)), 0.01), time(N)
    raised("loss-plateau", build(loss).series("lr", steps(N), np.full(N, 0.1)))
    quiet("loss-plateau", build(loss).series("lr", steps(N), 0.1 * np.exp(-40 * t)))


def test_stuck_at_chance() -> None:
    loss = math.log(10) + 0.01 * rng().standard_normal(N)
    sign = raised("loss-stuck", build(loss), "warning")
    assert sign.values["at_chance"] is False  # nobody knows
    known = (
        build(loss).fact("losses", [{"fn": "cross_entropy", "phase": "train"}]).fact("targets/train", {"classes": 10})
    )
    sign = raised("loss-stuck", known, "critical")
    assert sign.values["at_chance"] is True and "ln(10)" in sign.text
    raised("training-at-chance", known, "critical")
    quiet("training-at-chance", build(noisy(learning())).fact("log", {"config": {"num_classes": 10}}))


def test_a_constant_is_stuck_wherever_it_begins() -> None:
    builder = RunBuilder("excerpt", "log").series("loss/train", range(12400, 13200, 100), np.full(8, 25.60001))
    raised("loss-stuck", builder, "critical")
    quiet("loss-stuck", RunBuilder("excerpt", "log").series("loss/train", range(6), [0.31] * 6))


def test_nothing_is_stuck_while_the_rate_warms_up() -> None:
    loss = noisy(np.full(60, 2.3), 0.01)
    quiet("loss-stuck", build(loss).series("lr", steps(60), np.linspace(0, 1e-3, 60)))


def test_falling_slowly() -> None:
    loss = 2.3 * (1 - 0.03 * time(N)) + 0.01 * rng().standard_normal(N)
    sign = raised("loss-falling-slowly", build(loss))
    assert sign.value == pytest.approx(0.5 / 0.03, rel=0.2)
    quiet("loss-falling-slowly", build(noisy(learning())))


def test_a_loss_that_fell_at_once_does_not_fall_slowly() -> None:
    """From 0.38 to 0.01 in the first tenth, and hardly on from there: the trend alone sees the rest."""
    loss = 0.37 * np.exp(-60 * time(N)) + 0.01 * (1 - 0.3 * time(N)) + 2e-4 * rng().standard_normal(N)
    quiet("loss-falling-slowly", build(loss))


def test_oscillating_in_turn() -> None:
    loss = 1 + 0.3 * (-1.0) ** np.arange(N) + 0.03 * rng().standard_normal(N)
    assert raised("loss-oscillating", build(loss), "warning").values["kind"] == "alternating"
    quiet("loss-oscillating", build(noisy(np.ones(N), 0.3)))


def test_small_swings_after_learning_are_no_bad_outcome() -> None:
    """As with sign updates at a constant rate: 3 % of what was learned, and most of what is left."""
    ends = 2.6 * np.exp(-30 * time(N)) + 0.1
    swings = 1 + 0.6 * (-1.0) ** np.arange(N) * (time(N) > 0.2) + 0.02 * rng().standard_normal(N)
    assert 0.5 <= raised("loss-oscillating", build(ends * swings), "warning").level < 0.8
    assert raised("loss-oscillating", build((ends + 2.0) * swings), "warning").level >= 0.8


def test_oscillating_with_growing_swings() -> None:
    loss = np.exp(np.exp(4 * time(N)) / 60 * rng().standard_normal(N))
    raised("loss-oscillating", build(loss), "warning")


def test_oscillating_slowly() -> None:
    loss = np.exp(0.8 * np.sin(40 * time(N))) + 0.05 * rng().standard_normal(N)
    assert raised("loss-oscillating", build(loss), "warning").values["kind"] == "periodic"


@pytest.mark.parametrize("n", [12, 400, 20000])
def test_still_improving(n: int) -> None:
    loss = noisy(2 + 6 * (1 + 50 * time(n)) ** -0.5, 0.005)
    assert raised("still-improving", build(loss), "info").onset == n - 1
    quiet("still-improving", build(loss).series("lr", steps(n), 1e-3 * (1 - time(n))))
    quiet("still-improving", build(noisy(0.5 + 2 * np.exp(-30 * time(n)), 0.02)))


def test_at_the_floor() -> None:
    raised("loss-at-floor", build(noisy(2.3 * np.exp(-9 * time(N)) + 1e-4)), "info")
    quiet("loss-at-floor", build(noisy(learning())))


def test_negative_without_end() -> None:
    loss = 1 - 40 * time(N) ** 1.5 + 0.1 * rng().standard_normal(N)
    raised("loss-negative-unbounded", build(loss), "critical")
    quiet(
        "loss-negative-unbounded", build(0.2 - 1.4 * time(N) ** 1.5 + 0.01 * rng().standard_normal(N))
    )  # a likelihood
    quiet("loss-negative-unbounded", build(-3 + 5 * np.exp(-6 * time(N)) + 0.1 * rng().standard_normal(N)))


def test_late_noise_floor() -> None:
    loss = np.exp(0.5 * rng().standard_normal(N)) * (0.3 + 2 * np.exp(-20 * time(N)))
    raised("late-noise-floor", build(loss).series("lr", steps(N), np.full(N, 0.1)))
    quiet("late-noise-floor", build(loss).series("lr", steps(N), 0.1 * (1 - time(N))))


# ── epochs, the rate, the record ────────────────────────────────────────────────────────────────


def test_memorising_in_stairs() -> None:
    epoch = np.minimum(4, np.arange(N) // 80)
    stairs = np.array([1.0, 0.7, 0.45, 0.3, 0.2])[epoch] + 0.5 * np.exp(-np.arange(N) / 10)
    builder = build(noisy(stairs)).series("epoch", steps(N), epoch)
    assert raised("memorising", builder, "info").onset == 80
    smooth = build(noisy(learning())).series("epoch", steps(N), epoch)
    quiet("memorising", smooth)
    rate = 0.1 * 0.3 ** np.minimum(4, np.arange(N) // 80)
    quiet("memorising", build(noisy(stairs)).series("epoch", steps(N), epoch).series("lr", steps(N), rate))


def test_saw_tooth() -> None:
    phase = (np.arange(N) % 50) / 50
    builder = build(noisy(learning() * (1 + 0.3 * (0.5 - phase)))).series("epoch", steps(N), np.arange(N) // 50)
    raised("saw-tooth", builder)
    quiet("saw-tooth", build(noisy(learning())).series("epoch", steps(N), np.arange(N) // 50))


def test_rate_collapsed_while_the_loss_fell() -> None:
    t = time(N)
    falling = noisy(np.where(t < 0.3, 2.5 - 4 * t, 1.3), 0.01)
    rate = np.where(t < 0.3, 0.1, 1e-6)
    sign = raised("lr-collapsed", build(falling).series("lr", steps(N), rate), "critical")
    assert sign.onset == pytest.approx(0.3 * N, abs=2)
    settled = noisy(0.5 + 2 * np.exp(-60 * t), 0.01)
    quiet("lr-collapsed", build(settled).series("lr", steps(N), rate))
    quiet("lr-collapsed", build(falling).series("lr", steps(N), 0.05 * (1 + np.cos(np.pi * t))))
    raised("lr-collapsed", build(np.full(N, 2.3)).series("lr", steps(N), np.zeros(N)), "critical")
    quiet("lr-collapsed", build(falling).series("lr", steps(N), np.zeros(N)))  # printed with too few digits


def test_rate_constant_and_warmed_up() -> None:
    t = time(N)
    flat = build(learning()).series("lr", steps(N), np.full(N, 0.1))
    assert raised("lr-constant", flat, "info").value == 0.1
    quiet("lr-warmed-up", flat)
    quiet("lr-lowered", flat)
    warm = build(learning()).series("lr", steps(N), np.minimum(1, t / 0.1) * (1 - t))
    raised("lr-warmed-up", warm, "info")
    quiet("lr-constant", warm)
    assert raised("lr-lowered", warm, "info").value == 0.0


def test_gradients_zero() -> None:
    flat, zero = noisy(np.full(N, 2.3), 0.005), np.zeros(N)
    assert raised("gradients-zero", build(flat).series("grad_norm", steps(N), zero), "critical").onset == 0
    # A norm of 0 beside a loss that falls was never measured.
    quiet("gradients-zero", build(noisy(2 - time(N))).series("grad_norm", steps(N), zero))
    vanishing = np.where(time(N) < 0.3, 1.0, 1e-7)
    assert raised("gradients-zero", build(flat).series("grad_norm", steps(N), vanishing), "critical").onset == 120
    solved = noisy(2.3 * np.exp(-20 * time(N)) + 1e-4)
    quiet("gradients-zero", build(solved).series("grad_norm", steps(N), vanishing))


def test_several_runs_and_too_short() -> None:
    assert raised("several-runs", build(learning()).fact("log", {"runs": 5}), "info").value == 5
    quiet("several-runs", build(learning()))
    raised("too-short", build(learning(5)), "info")
    quiet("too-short", build(learning(20)))
    raised("too-short", build(learning(50)).series("lr", steps(50), np.linspace(0, 1e-5, 50)))


def test_loss_scale_that_is_gone_from_the_first_record_on() -> None:
    gone = 8e-202 * 0.5 ** np.arange(14)
    raised("loss-scale-collapsed", RunBuilder("log", "log").series("loss_scale", steps(14), gone), "critical")
    quiet("loss-scale-collapsed", build(noisy(learning())).series("loss_scale", steps(N), np.zeros(N)))  # not in use


def test_two_samples_in_turn_that_are_both_learned_do_not_oscillate() -> None:
    falls = 1.1 * np.exp(-time(N) * 4)
    quiet("loss-oscillating", build(noisy(falls * np.where(np.arange(N) % 2, 1.0, 5.0))))
    raised("loss-oscillating", build(noisy(np.where(np.arange(N) % 2, 1.0, 5.0))), "warning")
