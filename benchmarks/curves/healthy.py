"""Curves in which nothing is wrong, of many kinds. `expected` signs describe one of them and are no false alarm."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from .case import Curves, Maker
from .courses import Array, time


@dataclass(frozen=True)
class Kind:
    name: str
    make: Callable[[Maker], Curves]
    expected: tuple[str, ...] = ()
    points: tuple[int, ...] = (12, 60, 400, 4000)


def _validation(m: Maker, low: float, n: int | None = None, noise: float = 0.01) -> Array:
    n = min(m.points, int(m.pick([5, 10, 30, 100])) if n is None else n)
    return m.noisy(m.falling(3 * low, low, time(n)), noise)


def converged(m: Maker) -> Curves:
    """Falls to a tenth of its start and stays there."""
    return Curves(m.noisy(m.falling(2.3, 0.2)), _validation(m, 0.26))


def large_language_model(m: Maker) -> Curves:
    return Curves(m.noisy(m.falling(10.8, 3.1), 0.01), _validation(m, 3.15, noise=0.002))


def fine_tuned(m: Maker) -> Curves:
    """Hardly falls, with the learning rate going to zero in a line."""
    t = time(m.points)
    level = 1.9 + 0.35 * np.exp(-25 * t) + 0.1 * (1 - t)
    return Curves(m.noisy(level, 0.03), lr=2e-5 * (1 - t))


def cosine_to_zero(m: Maker) -> Curves:
    t = time(m.points)
    rate = 3e-4 * np.minimum(1, t / 0.05 + 0.01) * (1 + np.cos(np.pi * t)) / 2
    level = m.falling(2.6, 0.7) + 0.3 * (1 + np.cos(np.pi * t)) / 2
    return Curves(m.noisy(level, 0.04), _validation(m, 0.75), lr=rate)


def small_validation_set(m: Maker) -> Curves:
    """Evaluations that scatter by a tenth."""
    return Curves(m.noisy(m.falling(2.3, 0.3), 0.05), _validation(m, 0.5, noise=0.1))


def validation_flat_within_noise(m: Maker) -> Curves:
    """Validation settles early and drifts up by one percent, below its noise."""
    n = min(m.points, int(m.pick([8, 20, 60])))
    level = (0.5 + 1.5 * np.exp(-12 * time(n))) * (1 + 0.01 * time(n))
    return Curves(m.noisy(m.falling(2.3, 0.2), 0.04), m.noisy(level, 0.015))


def stopped_in_time(m: Maker) -> Curves:
    """Early stopping: three evaluations past the minimum, one percent above it."""
    n = min(m.points, int(m.pick([8, 15, 40])))
    level = m.falling(2.0, 0.5, time(n))
    level[-3:] = level[:-3].min() * 1.01
    return Curves(m.noisy(m.falling(2.1, 0.3), 0.03), m.noisy(level, 0.004))


def double_descent(m: Maker) -> Curves:
    n = 60
    t = time(n)
    hump = 0.5 + np.exp(-12 * t) + 0.3 * np.exp(-(((t - 0.45) / 0.12) ** 2)) - 0.15 * t
    return Curves(m.noisy(m.falling(2.3, 0.02), 0.03), m.noisy(hump, 0.01))


def grokking(m: Maker) -> Curves:
    """Training is done early, validation falls late."""
    t = time(50)
    validation = 0.05 + 2.3 / (1 + np.exp(25 * (t - 0.6)))
    return Curves(m.noisy(m.falling(2.3, 0.01), 0.05), m.noisy(validation, 0.02))


def curriculum(m: Maker) -> Curves:
    """Harder data at two steps: the loss rises by a sixth and falls again below."""
    t = time(m.points)
    level = 0.4 + 2 * np.exp(-9 * t)
    for at in (0.35, 0.65):
        level = level + np.where(t >= at, 0.15 * level * np.exp(-18 * np.maximum(t - at, 0)), 0)
    return Curves(m.noisy(level, 0.03))


def adversaries(m: Maker) -> Curves:
    n = m.points
    walk = np.zeros(n)
    for i in range(1, n):
        walk[i] = 0.9 * walk[i - 1] + 0.08 * m.rng.standard_normal()
    return Curves(
        0.76 * np.exp(walk), extra={"loss/train/0": 0.76 * np.exp(walk), "loss/train/1": 1.34 * np.exp(-walk)}
    )


def negative_by_design(m: Maker) -> Curves:
    """A log-likelihood of densities."""
    return Curves(-3.0 + 5.0 * m.course() + 0.15 * m.rng.standard_normal(m.points))


def around_zero(m: Maker) -> Curves:
    """A policy loss: nothing but noise about zero, by design, beside a reward that grows."""
    reward = np.linspace(0, 1, m.points) + 0.1 * m.rng.standard_normal(m.points)
    return Curves(0.02 * m.rng.standard_normal(m.points), extra={"raw/reward": reward})


def nearly_zero(m: Maker) -> Curves:
    """Six decades down; late values scatter by a factor of two."""
    level = np.log(2.3) - 11 * (1 - m.course())
    return Curves(np.exp(level + 0.4 * m.rng.standard_normal(m.points)))


def small_batches(m: Maker) -> Curves:
    return Curves(m.noisy(m.falling(2.3, 0.25), 0.5), _validation(m, 0.3))


def high_first_value(m: Maker) -> Curves:
    level = m.noisy(m.falling(2.3, 0.3), 0.03)
    level[0] *= 40
    return Curves(level, _validation(m, 0.4))


def high_first_evaluation(m: Maker) -> Curves:
    validation = _validation(m, 0.4)
    validation[0] *= 20
    return Curves(m.noisy(m.falling(2.3, 0.3), 0.03), validation)


def lr_dropped(m: Maker) -> Curves:
    t = time(m.points)
    part = np.floor(3 * np.minimum(t, 0.999)).astype(int)
    level = np.array([0.9, 0.42, 0.3])[part] + 1.5 * np.exp(-25 * t)
    return Curves(m.noisy(level, 0.06), lr=0.1 * 0.1 ** part.astype(float))


def warm_restarts(m: Maker) -> Curves:
    t = time(m.points)
    phase = (4 * t) % 1.0
    level = 0.3 + 1.8 * np.exp(-5 * t) + 0.06 * (1 + np.cos(np.pi * phase))
    return Curves(m.noisy(level, 0.04), lr=0.05 * (1 + np.cos(np.pi * phase)) / 2 + 1e-4)


def warmup(m: Maker) -> Curves:
    t = time(m.points)
    level = 10.8 - 7.0 * (1 - np.exp(-8 * np.maximum(t - 0.03, 0)))
    return Curves(m.noisy(level, 0.01), lr=3e-4 * np.minimum(1, t / 0.1 + 0.001))


def bar_resets(m: Maker) -> Curves:
    """The running mean of a bar starts anew each epoch."""
    raw = m.noisy(m.falling(2.3, 0.4), 0.15)
    epochs = np.array_split(raw, max(2, min(8, m.points // 10)))
    return Curves(np.concatenate([np.cumsum(e) / np.arange(1, len(e) + 1) for e in epochs]))


def large_units(m: Maker) -> Curves:
    return Curves(m.noisy(m.falling(4e5, 3e4), 0.08), _validation(m, 0.4) * 1e5)


def confident(m: Maker) -> Curves:
    """Accuracy beside it goes on improving."""
    validation = _validation(m, 0.4, 12, 0.01)
    return Curves(m.noisy(m.falling(2.3, 0.3), 0.04), validation, 0.1 + 0.8 * (1 - m.course(time(12))))


KINDS = (
    Kind("converged", converged),
    Kind("large language model", large_language_model),
    Kind("fine-tuned", fine_tuned),
    Kind("cosine to zero", cosine_to_zero),
    Kind("small validation set", small_validation_set),
    Kind("validation flat within noise", validation_flat_within_noise),
    Kind("stopped in time", stopped_in_time),
    Kind("double descent", double_descent, points=(60, 600)),
    Kind("grokking", grokking, points=(50, 1000)),
    Kind("curriculum", curriculum, points=(60, 400, 4000)),
    Kind("adversaries", adversaries),
    Kind("negative by design", negative_by_design),
    Kind("policy loss around zero", around_zero, ("no-learning-signal",)),
    Kind("nearly zero", nearly_zero),
    Kind("small batches", small_batches),
    Kind("high first value", high_first_value),
    Kind("high first evaluation", high_first_evaluation),
    Kind("learning rate dropped", lr_dropped, points=(60, 400, 4000)),
    Kind("warm restarts", warm_restarts, points=(60, 400, 4000)),
    Kind("warmup", warmup),
    Kind("bar resets", bar_resets, points=(60, 400)),
    Kind("large units", large_units),
    Kind("accuracy beside it", confident),
)
