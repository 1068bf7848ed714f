"""The parts that curves are made of: courses that fall from 1 to 0, noise of several kinds, and where points lie.

Each part has two pools. Thresholds are tuned on TUNE; HELD_OUT was set aside before and is what the tables report.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Random = np.random.Generator
Course = Callable[[Array, Random], Array]
Noise = Callable[[int, float, Random], Array]

TUNE, HELD_OUT = "tune", "held-out"


def exponential(t: Array, rng: Random) -> Array:
    return np.exp(-rng.uniform(4, 12) * t)


def power_law(t: Array, rng: Random) -> Array:
    """It begins at the first logged step, not before: logs never show the first instant."""
    early = rng.uniform(20, 400)
    return (1 + early * t) ** -rng.uniform(0.5, 1.1)


def lr_drops(t: Array, rng: Random) -> Array:
    """Two learning rate drops, each of which lowers the level at once."""
    level, floor = np.zeros(len(t)), 1.0
    for at, lower in ((0.0, 0.5), (rng.uniform(0.3, 0.5), 0.25), (rng.uniform(0.6, 0.8), 0.15)):
        level = np.where(t >= at, lower + (floor - lower) * np.exp(-40 * np.maximum(t - at, 0)), level)
        floor = lower
    return level


def stretched(t: Array, rng: Random) -> Array:
    return np.exp(-rng.uniform(3, 7) * t ** rng.uniform(0.4, 0.7))


def logistic(t: Array, rng: Random) -> Array:
    """A slow start and a steep middle."""
    return 1 / (1 + np.exp(rng.uniform(15, 30) * (t - rng.uniform(0.1, 0.25))))


def two_phases(t: Array, rng: Random) -> Array:
    return 0.7 * np.exp(-rng.uniform(15, 40) * t) + 0.3 * np.exp(-rng.uniform(2, 5) * t)


def gaussian(n: int, size: float, rng: Random) -> Array:
    return size * rng.standard_normal(n)


def running_mean(n: int, size: float, rng: Random) -> Array:
    """What a bar's running mean leaves of batch noise."""
    memory = rng.choice([0.5, 0.8, 0.9])
    return autoregressive(n, size, rng, memory)


def skewed(n: int, size: float, rng: Random) -> Array:
    """Logarithm of a gamma variable: small batches."""
    shape = 1 / max(size, 1e-6) ** 2
    return np.log(np.maximum(rng.gamma(shape, 1 / shape, n), 1e-12)) if size > 0 else np.zeros(n)


def heavy_tailed(n: int, size: float, rng: Random) -> Array:
    return size * rng.standard_t(4, n) / np.sqrt(2)


def autoregressive(n: int, size: float, rng: Random, memory: float = 0.7) -> Array:
    raw = rng.standard_normal(n)
    for i in range(1, n):
        raw[i] = memory * raw[i - 1] + np.sqrt(1 - memory**2) * raw[i]
    return size * raw


def growing(n: int, size: float, rng: Random) -> Array:
    """Relative noise that grows as the loss gets small."""
    return size * np.linspace(0.3, 1.5, n) * rng.standard_normal(n)


COURSES: dict[str, tuple[Course, ...]] = {
    TUNE: (exponential, power_law, lr_drops),
    HELD_OUT: (stretched, logistic, two_phases),
}
NOISES: dict[str, tuple[Noise, ...]] = {
    TUNE: (gaussian, running_mean, skewed),
    HELD_OUT: (heavy_tailed, autoregressive, growing),
}


def choose(pool: tuple, rng: Random):  # type: ignore[type-arg, no-untyped-def]
    return pool[int(rng.integers(len(pool)))]


def time(n: int) -> Array:
    return np.linspace(0, 1, n)


def step_numbers(n: int, rng: Random) -> NDArray[np.int64]:
    """Even, uneven or repeated steps."""
    kind = rng.integers(4)
    every = int(rng.choice([1, 10, 50]))
    if kind == 0:
        return np.cumsum(rng.integers(1, 3 * every + 1, n))
    if kind == 1 and n >= 40:
        return np.sort(rng.integers(0, max(2, n * every // 2), n))
    return np.arange(n) * every
