"""Courses of trainings in which nothing is wrong, of many kinds: no sign may call them sick."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from traindx.record import Run, RunBuilder

Make = Callable[[np.random.Generator, int], RunBuilder]


def steps(n: int, every: int = 1) -> np.ndarray:
    return np.arange(n) * every


def build(loss: np.ndarray, every: int = 1) -> RunBuilder:
    return RunBuilder("made", "observed").series("loss/train", steps(len(loss), every), loss)


def time(n: int) -> np.ndarray:
    return np.linspace(0, 1, n)


def exponential(rng: np.random.Generator, n: int) -> RunBuilder:
    noise = rng.choice([0.01, 0.05, 0.15])
    curve = 2.3 * np.exp(-6 * time(n)) + 0.2
    return build(curve * (1 + noise * rng.standard_normal(n)))


def power_law(rng: np.random.Generator, n: int) -> RunBuilder:
    curve = 1.7 + 9 * (1 + 300 * time(n)) ** -0.35
    return build(curve + 0.03 * rng.standard_normal(n), every=50)


def cosine(rng: np.random.Generator, n: int) -> RunBuilder:
    t = time(n)
    rate = 3e-4 * np.minimum(1, t / 0.05) * (1 + np.cos(np.pi * t)) / 2
    curve = 2.0 + 2 * np.exp(-20 * t) + 0.3 * (1 + np.cos(np.pi * t)) / 2
    return build(curve + 0.04 * rng.standard_normal(n), every=10).series("lr", steps(n, 10), rate)


def language_model(rng: np.random.Generator, n: int) -> RunBuilder:
    t = np.arange(1, n + 1) * (20000 / n)
    curve = 2.6 + 8.4 * (1 + t / 30) ** -0.5
    norm = np.exp(0.2 * rng.standard_normal(n)) * (0.3 + 3 / (1 + t / 50))
    return build(curve * (1 + 0.01 * rng.standard_normal(n)), every=10).series("grad_norm", steps(n, 10), norm)


def fine_tuning(rng: np.random.Generator, n: int) -> RunBuilder:
    t = time(n)
    curve = 1.95 + 0.3 * np.exp(-30 * t) + 0.1 * (1 - t)
    built = build(curve + 0.05 * rng.standard_normal(n), every=5)
    return built.series("lr", steps(n, 5), 2e-5 * (1 - t)).series("epoch", steps(n, 5), np.floor(0.999 * t))


def small_batches(rng: np.random.Generator, n: int) -> RunBuilder:
    curve = 0.15 + 2.1 * np.exp(-8 * time(n))
    return build(curve * rng.gamma(3.0, 1 / 3.0, n))


def nearly_solved(rng: np.random.Generator, n: int) -> RunBuilder:
    level = np.log(2.3) - 6 * (1 - np.exp(-4 * time(n)))
    return build(np.exp(level + 0.8 * rng.standard_normal(n)))


def raw_units(rng: np.random.Generator, n: int) -> RunBuilder:
    curve = 4e5 * np.exp(-7 * time(n)) + 9e4
    return build(curve * (1 + 0.1 * rng.standard_normal(n)))


def negative_likelihood(rng: np.random.Generator, n: int) -> RunBuilder:
    curve = -3.0 + 5 * np.exp(-7 * time(n))
    return build(curve + 0.2 * rng.standard_normal(n))


def adversaries(rng: np.random.Generator, n: int) -> RunBuilder:
    swing = np.zeros(n)
    memory = 0.9
    for i in range(1, n):
        swing[i] = memory * swing[i - 1] + 0.1 * rng.standard_normal()
    return build(1.1 * np.exp(swing)).series("loss/train/1", steps(n), 0.9 * np.exp(-swing)).fact("log", {"runs": 1})


def epochs(rng: np.random.Generator, n: int) -> RunBuilder:
    t = time(n)
    train = 0.3 + 1.5 * np.exp(-4 * t) + 0.01 * rng.standard_normal(n)
    validation = 0.42 + 1.3 * np.exp(-5 * t) + 0.02 * rng.standard_normal(n)
    return build(train).series("loss/validation", steps(n), validation)


def smoothed(rng: np.random.Generator, n: int) -> RunBuilder:
    raw = 0.3 + 2 * np.exp(-5 * time(n)) + 0.15 * rng.standard_normal(n)
    mean = np.empty(n)
    mean[0] = 2.3
    for i in range(1, n):
        mean[i] = 0.9 * mean[i - 1] + 0.1 * raw[i]
    return build(mean)


def step_decay(rng: np.random.Generator, n: int) -> RunBuilder:
    t = time(n)
    rate = 0.1 * 0.1 ** np.floor(3 * np.minimum(t, 0.999))
    curve = np.array([0.9, 0.4, 0.3])[np.floor(3 * np.minimum(t, 0.999)).astype(int)] + 1.5 * np.exp(-25 * t)
    return build(curve * (1 + 0.08 * rng.standard_normal(n))).series("lr", steps(n), rate)


def multi_epoch(rng: np.random.Generator, n: int) -> RunBuilder:
    t = time(n)
    curve = 0.4 + 2 * np.exp(-5 * t)
    built = build(curve * (1 + 0.1 * rng.standard_normal(n)))
    return built.series("epoch", steps(n), np.minimum(4, np.floor(5 * t)))


def heavy_tails(rng: np.random.Generator, n: int) -> RunBuilder:
    curve = 1 + 3 * np.exp(-6 * time(n))
    return build(curve * np.exp(0.1 * rng.standard_t(4, n)))


def warm_restarts(rng: np.random.Generator, n: int) -> RunBuilder:
    t = time(n)
    phase = (4 * t) % 1.0
    rate = 0.05 * (1 + np.cos(np.pi * phase)) / 2 + 1e-4
    curve = 0.3 + 1.8 * np.exp(-5 * t) + 0.08 * (1 + np.cos(np.pi * phase))
    return build(curve * (1 + 0.05 * rng.standard_normal(n))).series("lr", steps(n), rate)


def rounded(rng: np.random.Generator, n: int) -> RunBuilder:
    return build(np.round(0.3 + 1.5 * np.exp(-6 * time(n)) + 0.01 * rng.standard_normal(n), 2))


def around_zero(rng: np.random.Generator, n: int) -> RunBuilder:
    return build(0.02 * rng.standard_normal(n) + 0.001)


def two_stages(rng: np.random.Generator, n: int) -> RunBuilder:
    t = time(n)
    curve = 0.6 / (1 + np.exp(30 * (t - 0.3))) + 0.1 + 0.5 * np.exp(-40 * t)
    return build(curve * np.exp(0.15 * rng.standard_normal(n)))


def tiny_values(rng: np.random.Generator, n: int) -> RunBuilder:
    return build(1e-6 * (0.1 + np.exp(-6 * time(n))) * rng.gamma(8.0, 1 / 8.0, n))


def wild_batches(rng: np.random.Generator, n: int) -> RunBuilder:
    return build((0.2 + np.exp(-6 * time(n))) * rng.exponential(1.0, n))


def stopped_at_its_best(rng: np.random.Generator, n: int) -> RunBuilder:
    t = time(n)
    train = 0.05 + 1.2 * np.exp(-6 * t) + 0.005 * rng.standard_normal(n)
    validation = 0.30 + 0.8 * np.exp(-8 * t) + 0.004 * rng.standard_normal(n)
    return build(train).series("loss/validation", steps(n), validation)


FAMILIES: dict[str, Make] = {
    f.__name__: f
    for f in (
        exponential,
        power_law,
        cosine,
        language_model,
        fine_tuning,
        small_batches,
        nearly_solved,
        raw_units,
        negative_likelihood,
        adversaries,
        epochs,
        smoothed,
        step_decay,
        multi_epoch,
        heavy_tails,
        warm_restarts,
        rounded,
        around_zero,
        two_stages,
        tiny_values,
        wild_batches,
        stopped_at_its_best,
    )
}


def healthy(family: str, seed: int, n: int) -> Run:
    return FAMILIES[family](np.random.default_rng(seed), n).build()
