"""Losses that move wrongly: diverging, oscillating, spiking."""

from __future__ import annotations

import numpy as np

from ..curves import Rng, add_company, between, good_course, healthy_grad, logwise, noisy, plan, val_noisy, wobble
from ..model import Floats, Run, advice, family, sick


@family("diverging")
def diverge_late_slow(rng: Rng, k: int) -> Run:
    """The training loss learns well, then from the middle of the run on climbs slowly and steadily to 1.4 to 5
    times its best, and does not come back; validation, where logged, climbs with it."""
    p = plan(rng, k, epochs=(24, 200))
    turn = between(rng, 0.4, 0.6)
    clean = good_course(rng, p, p.start * between(rng, 0.2, 0.45))
    size = (between(rng, 2.5, 4), between(rng, 1, 2.5), between(rng, 0.5, 1))[p.hard]
    clean = clean * (1 + size * np.clip((p.x - turn) / (1 - turn), 0, 1) ** 1.1)
    run = Run(p, sick("diverging", p.row(turn), max(3, p.n // 7))).add("loss", noisy(rng, p, clean))
    if rng.random() < 0.4:
        run.add("val_loss", val_noisy(rng, p, clean * 1.04))
    return add_company(rng, run.need("loss"), "lr", share=0.5)


@family("diverging")
def diverge_early(rng: Rng, k: int) -> Run:
    """Within the first tenth the loss leaves its starting level upward, grows to 2 to 100 times it, and stays up."""
    p = plan(rng, k, epochs=(14, 120))
    turn = between(rng, 0.02, 0.1)
    high = logwise(rng, 2.5, 100) if p.hard else logwise(rng, 20, 100)
    climb = 1 - np.exp(-np.clip(p.x - turn, 0, None) / between(rng, 0.05, 0.2))
    run = Run(p, sick("diverging", p.row(turn), max(2, p.n // 10)))
    run.add("loss", p.start * high**climb * wobble(rng, p.n, p.noise * 1.5))
    return add_company(rng, run.need("loss"), "lr", share=0.5)


@family("oscillating")
def oscillate_alternating(rng: Rng, k: int) -> Run:
    """After a short initial fall the loss swings up and down every few rows by 25 to 70 per cent of its level,
    many times its noise, and gets nowhere."""
    p = plan(rng, k, epochs=(24, 150), rows=(90, 500))
    level = p.start * between(rng, 0.55, 0.8)
    clean = level + (p.start - level) * np.exp(-p.x / 0.02)
    period = one_period(rng, 2, 7)
    rows = np.arange(p.n)
    swing = np.where(rows % 2 == 0, 1.0, -1.0) if period == 2 else np.sin(2 * np.pi * rows / period)
    size = (between(rng, 0.5, 0.7), between(rng, 0.35, 0.5), between(rng, 0.25, 0.35))[p.hard]
    swing = swing * size * (1 + rng.normal(0, 0.12, p.n)) * np.clip(p.x / 0.05, 0, 1)
    run = Run(p, sick("oscillating", p.row(0.04), max(3, p.n // 8)))
    run.add("loss", np.maximum(clean * (1 + swing), 0.02 * level) * wobble(rng, p.n, min(p.noise, 0.03)))
    return add_company(rng, run.need("loss"), "lr", share=0.5)


def one_period(rng: Rng, low: int, high: int) -> int:
    """A whole period in rows."""
    return int(rng.integers(low, high + 1))


@family("oscillating")
def oscillate_growing(rng: Rng, k: int) -> Run:
    """A regular swing whose height grows through the run from a few per cent to most of the level, without net
    progress once it is large."""
    p = plan(rng, k, epochs=(40, 200), rows=(90, 500))
    level = p.start * between(rng, 0.4, 0.6)
    clean = level + (p.start - level) * np.exp(-p.x / 0.06)
    period = one_period(rng, 2, 8)
    rows = np.arange(p.n)
    swing = np.where(rows % 2 == 0, 1.0, -1.0) if period == 2 else np.sin(2 * np.pi * rows / period)
    height = between(rng, 0.02, 0.04) * (between(rng, 0.6, 0.9) / 0.03) ** p.x
    run = Run(p, sick("oscillating", p.row(0.5), max(3, p.n // 3), accepted=("diverging",)))
    factor = np.exp(swing * height * (1 + rng.normal(0, 0.1, p.n)))
    run.add("loss", clean * factor * wobble(rng, p.n, min(p.noise, 0.015)))
    return add_company(rng, run.need("loss"), "lr", share=0.5)


def bump(n: int, place: int, height: float, memory: float) -> Floats:
    """A sudden rise at a row that decays over `memory` rows."""
    after = np.arange(n) - place
    return np.where(after >= 0, height * np.exp(-np.clip(after, 0, None) / memory), 0.0)


@family("spiking")
def spike_single(rng: Rng, k: int) -> Run:
    """One sudden rise of the loss to 2.5 to 8 times its level, together with a jump of the gradient norm (10 to 50
    times), that decays within a few rows; the run then goes on as before."""
    p = plan(rng, k, epochs=(30, 150))
    place = p.row(between(rng, 0.45, 0.75))
    memory = max(0.7, p.n * between(rng, 0.003, 0.012))
    height = between(rng, 1.5, 7)
    run = Run(p, advice("spiking", place, 2))
    course = good_course(rng, p, p.start * between(rng, 0.12, 0.35))
    run.add("loss", noisy(rng, p, course) * (1 + bump(p.n, place, height, memory)))
    run.add("grad_norm", healthy_grad(rng, p) * (1 + bump(p.n, place, between(rng, 10, 50), 0.6)))
    return add_company(rng, run.need("loss", "grad_norm"), "lr", share=0.5)


@family("spiking")
def spikes_repeated(rng: Rng, k: int) -> Run:
    """Five to twelve sudden rises at irregular places to 1.8 to 6 times the level, each coming back within a few
    rows; no gradient norm in the log."""
    p = plan(rng, k, epochs=(60, 200), rows=(150, 1000))
    count = int(rng.integers(5, 13))
    spots = np.arange(p.n // 5, p.n - 3, max(3, p.n // 40))
    places = np.sort(rng.choice(spots, min(count, len(spots)), replace=False))
    lift = np.zeros(p.n)
    for place in places:
        lift += bump(p.n, int(place), between(rng, 0.8, 5.0), max(0.6, p.n * between(rng, 0.001, 0.006)))
    run = Run(p, sick("spiking", int(places[0]), 3))
    run.add("loss", noisy(rng, p, good_course(rng, p, p.start * between(rng, 0.12, 0.35))) * (1 + lift))
    return add_company(rng, run.need("loss"), "lr", share=0.5)


@family("spiking")
def spikes_at_epoch_borders(rng: Rng, k: int) -> Run:
    """At the start of every epoch the training loss jumps by 50 to 150 per cent and decays over the next rows: period
    exactly one epoch (unshuffled data, lost state, a bad first batch)."""
    p = plan(rng, k, units=("step",), rows=(200, 900), total=(400, 40_000), epochs_per_run=(6, 11))
    epoch = (p.at - 1) // p.per_epoch
    firsts = np.flatnonzero(np.diff(epoch) > 0) + 1
    memory = max(1.0, p.n / len(firsts) * between(rng, 0.03, 0.08))
    lift = sum((bump(p.n, int(row), between(rng, 0.5, 1.5), memory) for row in firsts), np.zeros(p.n))
    run = Run(p, sick("spiking", int(firsts[0]), 3))
    course = good_course(rng, p, p.start * between(rng, 0.15, 0.35))
    run.add("loss", course * (1 + lift) * wobble(rng, p.n, min(p.noise, 0.05)))
    return add_company(rng, run.need("loss"), "lr", share=0.5)
