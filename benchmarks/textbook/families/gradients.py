"""Gradients that vanish or explode."""

from __future__ import annotations

import numpy as np

from ..curves import Rng, add_company, between, fall, good_course, healthy_grad, logwise, noisy, plan, wobble
from ..model import Run, family, sick


@family("vanishing-gradients")
def vanish_all_rows(rng: Rng, k: int) -> Run:
    """The gradient norm is about 1e-8 in every row while the loss is stuck where it started."""
    p = plan(rng, k, tasks=("classes", "regression"), epochs=(14, 150), scales=(0.1, 100.0))
    run = Run(p, sick("vanishing-gradients", 0, max(2, p.n // 10)))
    run.add("loss", p.start * wobble(rng, p.n, min(p.noise, 0.015) * 0.4, 0.0))
    level = logwise(rng, 1e-9, 1e-7) * p.scale
    run.add("grad_norm", level * np.exp(rng.normal(0, between(rng, 0.1, 0.4), p.n)))
    return add_company(rng, run.need("loss", "grad_norm"), "lr", share=0.5)


@family("vanishing-gradients")
def vanish_over_time(rng: Rng, k: int) -> Run:
    """The gradient norm starts at an ordinary level and decays geometrically by six orders or more in the first
    20 to 45 per cent of the run; the loss gives up 5 to 20 per cent and then sticks."""
    p = plan(rng, k, tasks=("classes",), classes=(10, 20, 100), epochs=(20, 150))
    gone = between(rng, 0.2, 0.45)
    orders = between(rng, 6, 9)
    share = np.clip(p.x / gone, 0, 1)
    end = p.start * between(rng, 0.8, 0.95)
    run = Run(p, sick("vanishing-gradients", p.row(gone * 0.5), max(3, p.n // 5)))
    run.add("loss", fall(p.x, p.start, end, gone / 3) * wobble(rng, p.n, min(p.noise, 0.02)))
    run.add("grad_norm", logwise(rng, 0.3, 4) * 10 ** (-orders * share) * np.exp(rng.normal(0, 0.2, p.n)))
    return add_company(rng, run.need("loss", "grad_norm"), "lr", share=0.5)


@family("exploding-gradients")
def explode_then_nan(rng: Rng, k: int) -> Run:
    """An ordinary run until the gradient norm grows by three to eight orders over a stretch of rows, the loss follows
    upward, and both are NaN to the end."""
    p = plan(rng, k, epochs=(20, 120))
    onset = p.row(between(rng, 0.3, 0.7))
    length = int(np.clip(p.n * between(rng, 0.04, 0.12), 4, 60))
    growth = np.clip((np.arange(p.n) - onset) / length, 0, None)
    grad = healthy_grad(rng, p) * 10 ** (between(rng, 3, 8) * np.minimum(growth, 1.2))
    loss = noisy(rng, p, good_course(rng, p)) * 10 ** (between(rng, 0.8, 3) * np.minimum(growth, 1.2) ** 1.5)
    dead = min(onset + length, p.n - 2)
    grad[dead:] = np.nan
    loss[dead:] = np.nan
    run = Run(p, sick("exploding-gradients", onset, length))
    run.add("loss", loss).add("grad_norm", grad)
    return add_company(rng, run.need("loss", "grad_norm"), "lr", share=0.4)


@family("exploding-gradients")
def explode_runaway(rng: Rng, k: int) -> Run:
    """The gradient norm leaves its level and grows by three to six orders until the log ends, never NaN; the loss
    follows it upward to several times its best."""
    p = plan(rng, k, epochs=(24, 120))
    turn = between(rng, 0.5, 0.75)
    growth = np.clip((p.x - turn) / (1 - turn), 0, 1)
    run = Run(p, sick("exploding-gradients", p.row(turn), max(2, p.n // 8)))
    run.add("loss", noisy(rng, p, good_course(rng, p)) * 10 ** (between(rng, 0.6, 2.5) * growth**1.3))
    run.add("grad_norm", healthy_grad(rng, p) * 10 ** (between(rng, 3, 6) * growth))
    return add_company(rng, run.need("loss", "grad_norm"), "lr", share=0.4)


@family("exploding-gradients")
def explode_bursts(rng: Rng, k: int) -> Run:
    """Four to nine bursts in which the gradient norm jumps by 100 to 5000 times its level within a row or two, each
    followed by a jump of the loss that only slowly comes back."""
    p = plan(rng, k, epochs=(60, 200), rows=(150, 1000))
    count = int(rng.integers(4, 10))
    places = np.sort(rng.choice(np.arange(p.n // 5, p.n - 4, max(4, p.n // 30)), count, replace=False))
    grad = healthy_grad(rng, p)
    lift = np.zeros(p.n)
    memory = max(1.5, p.n * 0.012)
    for place in places:
        size = logwise(rng, 100, 5000)
        grad[place] *= size
        grad[place + 1] *= size**0.4
        after = np.arange(p.n) - place
        lift += np.where(after >= 0, between(rng, 0.8, 3.0) * np.exp(-np.clip(after, 0, None) / memory), 0.0)
    run = Run(p, sick("exploding-gradients", int(places[0]), 3))
    run.add("loss", noisy(rng, p, good_course(rng, p, p.start * between(rng, 0.2, 0.4))) * (1 + lift))
    run.add("grad_norm", grad)
    return run.need("loss", "grad_norm")
