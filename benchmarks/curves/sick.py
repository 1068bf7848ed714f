"""Curves with one fault of a known size. Each maker names the signs that find it and the sizes to try."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from .case import Curves, Maker
from .courses import Array, time


@dataclass(frozen=True)
class Fault:
    """Found where one of `signs` is raised; `agreed` is the effect from which two engineers would not dispute it."""

    name: str
    signs: tuple[str, ...]
    make: Callable[[Maker, float], Curves]
    effects: tuple[float, ...]
    agreed: float
    points: tuple[int, ...]
    noises: tuple[float, ...]
    labels: frozenset[str]  # what other tools call it


def _turning(m: Maker, n: int, effect: float) -> Array:
    """Falls to a minimum and ends `effect` above it."""
    t, at = time(n), m.rng.uniform(0.2, 0.6)
    low = m.pick([0.05, 0.3, 1.2, 3.0])
    fall = low * (1 + m.pick([0.5, 2.0, 6.0]) * np.maximum(0, 1 - t / at) ** 2)
    shape = m.pick([1.0, 1.0, 2.0])
    return np.asarray(fall * (1 + effect * (np.maximum(0, t - at) / (1 - at)) ** shape))


def overfitting(m: Maker, effect: float) -> Curves:
    validation = m.noisy(_turning(m, m.points, effect))
    low = float(validation.min())
    factor = int(m.pick([1, 1, 20]))
    train = m.noisy(
        m.falling(3 * low, m.pick([0.02, 0.3]) * low, time(m.points * factor)), 0.02 if factor == 1 else 0.1
    )
    if m.rng.random() < 0.25:
        train[0] *= 30  # a high first value
        validation[0] *= 3
    return Curves(train, validation)


def climbs_after_falling(m: Maker, effect: float) -> Curves:
    """Ends `effect` times the level at which it turned."""
    t, at = time(m.points), m.rng.uniform(0.3, 0.7)
    turn = int(at * (m.points - 1))
    level = m.falling(3.0, 0.5)
    level[turn:] = level[turn] * effect ** ((t[turn:] - t[turn]) / (1 - t[turn]))
    return Curves(m.noisy(level))


def jumps_and_stays(m: Maker, effect: float) -> Curves:
    jump = int(m.rng.uniform(0.3, 0.8) * m.points)
    level = m.falling(3.0, 0.5)
    level[jump:] = effect * level[jump - 1]
    return Curves(m.noisy(level))


def climbs_from_start(m: Maker, effect: float) -> Curves:
    return Curves(m.noisy(2.3 * effect ** time(m.points)))


def explodes(m: Maker, effect: float) -> Curves:
    """A handful of rows, each `effect` times the one before."""
    return Curves(0.85 * effect ** np.arange(m.points) * np.exp(0.1 * m.rng.standard_normal(m.points)))


def spike(m: Maker, effect: float) -> Curves:
    level = m.noisy(m.falling(4.0, m.pick([0.3, 1.5])))
    at, width = int(m.rng.uniform(0.25, 0.8) * m.points), int(m.pick([1, 4, max(1, m.points // 40)]))
    level[at : at + width] *= effect ** np.linspace(1, 0.3, width) if width > 1 else effect
    return Curves(level)


def plateau(m: Maker, effect: float) -> Curves:
    """Flat over the last `effect` of the run, above three fifths of the first loss."""
    t = time(m.points)
    start = 1 - effect
    level = 1.6 + 0.7 * np.maximum(0, 1 - t / start) ** 2
    return Curves(m.noisy(level), lr=np.full(m.points, 1e-3))


def stuck_at_chance(m: Maker, effect: float) -> Curves:
    """`effect` classes, balanced: the loss stays at its logarithm, the accuracy at its inverse."""
    n = m.points
    accuracy = np.clip(1 / effect + 0.004 * m.rng.standard_normal(n), 0.001, 1)
    return Curves(m.noisy(np.full(n, math.log(effect))), m.noisy(np.full(n, math.log(effect)), 0.002), accuracy)


def swings(m: Maker, effect: float) -> Curves:
    """Swings of plus and minus `effect` about one level, in turn, slowly or at random."""
    n, kind = m.points, int(m.rng.integers(3))
    if kind == 0:
        wave = np.where(np.arange(n) % 2 == 0, 1.0, -1.0)
    elif kind == 1:
        wave = np.sin(2 * np.pi * np.arange(n) / m.pick([5, 8, max(10, n // 10)]) + m.rng.uniform(0, 6))
    else:
        wave = m.rng.choice([-1.0, 1.0], n)
    return Curves(m.noisy(1.2 * (1 + effect * wave), 0.03))


def uniform_noise(m: Maker, effect: float) -> Curves:
    """Numbers with nothing in them, between 1 - effect and 1 + effect."""
    return Curves(m.rng.uniform(1 - effect, 1 + effect, m.points), m.rng.uniform(1 - effect, 1 + effect, m.points))


def never_generalises(m: Maker, effect: float) -> Curves:
    """Training falls to `effect` of its start; validation stays at chance, give or take a little."""
    train = m.noisy(m.falling(2.3, 2.3 * effect), 0.03)
    return Curves(train, m.noisy(2.303 * (1 + m.pick([0, 0.02]) * time(m.points)), 0.01))


def still_falling(m: Maker, effect: float) -> Curves:
    """Falls by `effect` over the second half, in a straight line."""
    t = time(m.points)
    level = 1.0 - 2 * effect * (t - 1) + 0.8 * np.exp(-12 * t)
    return Curves(m.noisy(level))


def not_a_number(m: Maker, effect: float) -> Curves:
    """NaN after `effect` of the run, to the end."""
    level = m.noisy(m.falling(3.0, 0.5))
    level[max(1, int(effect * m.points)) :] = math.nan
    return Curves(level)


def one_not_a_number(m: Maker, effect: float) -> Curves:
    level = m.noisy(m.falling(3.0, 0.5))
    level[int(effect * m.points)] = math.inf if m.rng.random() < 0.3 else math.nan
    return Curves(level)


def lr_runs_out(m: Maker, effect: float) -> Curves:
    """The learning rate is zero after `effect` of the run, while the loss was falling."""
    t = time(m.points)
    rate = np.where(t < effect, 1e-3, 1e-9)
    return Curves(m.noisy(2.0 - 1.2 * np.minimum(t, effect)), lr=rate)


FAULTS = (
    Fault(
        "overfitting",
        ("validation-rising",),
        overfitting,
        (0.03, 0.05, 0.08, 0.2, 0.6, 2.0),
        0.08,
        (6, 10, 20, 50, 200),
        (0.0, 0.005, 0.01),
        frozenset({"overfitting"}),
    ),
    Fault(
        "climbs after falling",
        ("loss-diverged",),
        climbs_after_falling,
        (1.1, 1.2, 1.5, 2, 6, 100),
        1.5,
        (12, 50, 400, 4000),
        (0.01, 0.05),
        frozenset({"diverged"}),
    ),
    Fault(
        "jumps and stays",
        ("loss-diverged",),
        jumps_and_stays,
        (1.2, 1.5, 2, 6, 100),
        2,
        (12, 50, 400, 4000),
        (0.01, 0.05, 0.1),
        frozenset({"diverged"}),
    ),
    Fault(
        "climbs from the start",
        ("loss-diverged", "loss-heads-wrong-way"),
        climbs_from_start,
        (1.05, 1.1, 1.2, 1.5, 6),
        1.2,
        (8, 50, 400, 4000),
        (0.01, 0.03),
        frozenset({"diverged", "stuck"}),
    ),
    Fault(
        "explodes in a few rows",
        ("loss-diverged",),
        explodes,
        (1.5, 3, 100, 1e4),
        3,
        (4, 5, 8),
        (0.0,),
        frozenset({"diverged"}),
    ),
    Fault(
        "spike", ("loss-spike",), spike, (1.3, 1.5, 2, 4, 10), 4, (50, 400, 4000), (0.01, 0.05), frozenset({"spike"})
    ),
    Fault(
        "plateau",
        ("loss-plateau",),
        plateau,
        (0.3, 0.5, 0.7, 0.85),
        0.5,
        (20, 100, 1000, 10000),
        (0.002, 0.02),
        frozenset({"plateau"}),
    ),
    Fault(
        "stuck at chance",
        ("loss-stuck",),
        stuck_at_chance,
        (2, 10, 1000),
        2,
        (10, 50, 400, 4000),
        (0.001, 0.02),
        frozenset({"stuck", "plateau"}),
    ),
    Fault(
        "swings",
        ("loss-oscillating", "no-learning-signal"),
        swings,
        (0.2, 0.6),
        0.6,
        (12, 30, 100, 1000),
        (0.03,),
        frozenset({"oscillating", "stuck"}),
    ),
    Fault(
        "uniform noise",
        ("no-learning-signal", "loss-stuck"),
        uniform_noise,
        (0.2, 0.6, 1.0),
        0.2,
        (10, 30, 100, 1000),
        (0.0,),
        frozenset({"oscillating", "stuck"}),
    ),
    Fault(
        "never generalises",
        ("validation-never-improves", "validation-rising", "validation-at-chance"),
        never_generalises,
        (0.01, 0.3),
        0.3,
        (5, 10, 30, 200),
        (0.01,),
        frozenset({"overfitting"}),
    ),
    Fault(
        "still falling",
        ("still-improving",),
        still_falling,
        (0.02, 0.05, 0.1, 0.2),
        0.1,
        (10, 50, 400, 4000),
        (0.005, 0.03),
        frozenset({"still-improving"}),
    ),
    Fault(
        "NaN to the end",
        ("loss-not-finite",),
        not_a_number,
        (0.02, 0.5, 0.97),
        0.02,
        (10, 100, 1000),
        (0.03,),
        frozenset({"nonfinite"}),
    ),
    Fault(
        "one NaN",
        ("loss-not-finite",),
        one_not_a_number,
        (0.1, 0.5),
        0.1,
        (10, 100, 1000),
        (0.03,),
        frozenset({"nonfinite"}),
    ),
    Fault(
        "learning rate runs out",
        ("lr-collapsed",),
        lr_runs_out,
        (0.1, 0.3, 0.6),
        0.3,
        (50, 400),
        (0.01,),
        frozenset({"lr-problem"}),
    ),
)
