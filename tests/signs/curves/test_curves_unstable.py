"""Courses that are thrown about and recover, or settle higher: seen as such, while heavy-tailed noise is not."""

from __future__ import annotations

import numpy as np
import pytest
from healthy_curves import build, time

from traindx.record import RunBuilder
from traindx.signs import Sign, Signs, measure_all

LENGTHS = (120, 300, 2000)
SEEDS = range(5)


def falling(points: int, rng: np.random.Generator) -> np.ndarray:
    return (2.5 + 4.5 * (1 + 40 * time(points)) ** -0.6) * np.exp(0.05 * rng.standard_normal(points))


def signs(builder: RunBuilder) -> Signs:
    return measure_all(builder.build())


def raised(found: Signs, sign: str) -> Sign:
    assert found.level(sign) >= 0.5, [s.text for s in found.raised()]
    return found[sign]


@pytest.mark.parametrize("points", LENGTHS)
@pytest.mark.parametrize("seed", SEEDS)
def test_spikes_that_recur_throughout_do_not_pass_for_noise(points: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    loss = falling(points, rng)
    for at in range(points // 4, points - 4, 55):  # three points of 55: more than a twentieth
        loss[at : at + 3] *= [4.0, 2.5, 1.5]
    assert raised(signs(build(loss)), "loss-spike").severity == "warning"


@pytest.mark.parametrize("points", LENGTHS)
@pytest.mark.parametrize("seed", SEEDS)
def test_a_perplexity_that_explodes_and_comes_back(points: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    perplexity = np.exp(falling(points, rng))
    at, width = points * 2 // 5, points // 10
    perplexity[at : at + width] *= np.linspace(50, 1.5, width)
    spike = raised(signs(build(perplexity)), "loss-spike")
    assert spike.severity == "warning" and abs((spike.onset or 0) - at) <= 2


@pytest.mark.parametrize("points", LENGTHS)
@pytest.mark.parametrize("seed", SEEDS)
def test_a_rise_that_levels_out_is_a_divergence(points: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    loss, at = falling(points, rng), points * 3 // 5
    loss[at:] *= np.minimum(1 + 10 * (time(points)[at:] - time(points)[at]), 2.2)
    diverged = raised(signs(build(loss)), "loss-diverged")
    assert diverged.severity == "critical" and abs((diverged.onset or 0) - at) <= points // 10


@pytest.mark.parametrize("points", LENGTHS)
def test_a_hard_stretch_of_data_and_heavy_tails_are_no_alarm(points: int) -> None:
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        hard = np.where((time(points) > 0.6) & (time(points) < 0.75), 1.15, 1.0)
        mixed = np.where(rng.random(points) < 0.15, 1.6, 0.95)
        for shape in (hard, mixed, rng.gamma(4, 0.25, points)):
            found = signs(build(falling(points, rng) * shape))
            assert not [s.text for s in found.raised() if s.severity != "info"], seed


def test_a_norm_of_one_layer_that_is_lost() -> None:
    rng = np.random.default_rng(0)
    norm = 1 + 0.1 * rng.random(100)
    norm[60:] = np.nan
    builder = build(falling(100, rng)).series("raw/grad_norm/encoder", range(100), norm)
    lost = raised(signs(builder), "loss-not-finite")
    assert lost.severity == "critical" and lost.onset == 60 and "grad_norm/encoder" in lost.text


def test_a_bad_norm_at_the_very_end_is_not_said_to_recover() -> None:
    rng = np.random.default_rng(0)
    norm = 1 + 0.1 * rng.random(100)
    norm[-1] = np.nan
    lost = raised(signs(build(falling(100, rng)).series("grad_norm", range(100), norm)), "loss-not-finite")
    assert lost.severity == "info" and "recovers" not in lost.text


def test_a_loss_that_ends_thrown_out_is_not_still_improving() -> None:
    falls = 2.0 * np.exp(-np.arange(40) / 15) + 0.5
    thrown, noisy = falls.copy(), falls + 0.05 * np.random.default_rng(3).normal(size=40)
    thrown[-1], noisy[-1] = 3.7, noisy[19]
    for loss, improves in ((thrown, False), (falls, True), (noisy, True)):
        run = RunBuilder("made", "log").series("loss/train", np.arange(40), loss).build()
        assert measure_all(run)["still-improving"].raised is improves
