"""Healthy runs of the common kind: nothing should be said about them."""

from __future__ import annotations

import numpy as np

from ..curves import (
    Rng,
    acc_for,
    acc_noise,
    add_accuracies,
    add_company,
    between,
    cosine,
    fall,
    floor_share,
    good_course,
    healthy_grad,
    noisy,
    plan,
    val_noisy,
    wobble,
)
from ..model import Run, family, healthy
from .motion import bump


@family("healthy")
def converged_at_floor(rng: Rng, k: int) -> Run:
    """Loss falls to what the task allows and stays flat for the last half; validation lies close by; accuracy is
    high."""
    p = plan(rng, k, tasks=("classes",), classes=(2, 4, 10, 20, 100), epochs=(24, 200))
    clean = good_course(rng, p, p.start * between(rng, 0.03, 0.1))
    run = Run(p, healthy()).add("loss", noisy(rng, p, clean))
    run.add("val_loss", val_noisy(rng, p, clean * between(rng, 1.02, 1.12)))
    high = between(rng, 0.95, 0.99)
    add_accuracies(rng, run, clean, p.chance, high, high - between(rng, 0.003, 0.012))
    return add_company(rng, run, "cosine", "grad_norm", "times", share=0.4)


@family("healthy")
def noisy_but_fine(rng: Rng, k: int) -> Run:
    """Small batches: the logged loss scatters by 10 to 25 per cent around a course that falls and settles well."""
    p = plan(rng, k, units=("step",), rows=(150, 1000), tasks=("classes", "language", "regression"))
    clean = good_course(rng, p)
    run = Run(p, healthy()).add("loss", clean * np.exp(rng.normal(0, between(rng, 0.1, 0.25), p.n)))
    if rng.random() < 0.6:
        run.add("val_loss", val_noisy(rng, p, clean * between(rng, 1.0, 1.05)))
    return add_company(rng, run, "cosine", "grad_norm", share=0.5)


@family("healthy")
def warm_up_bump(rng: Rng, k: int) -> Run:
    """Where the warm-up reaches the full learning rate the loss rises once by some 5 to 25 per cent for a few rows,
    then falls and settles as it should."""
    p = plan(rng, k, epochs=(60, 150), rows=(120, 800), tasks=("classes", "language"))
    warm = between(rng, 0.05, 0.09)
    hill = between(rng, 0.35, 0.55) * np.exp(-(((p.x - warm) / (0.25 * warm)) ** 2))
    end = floor_share(rng, p) * p.start
    clean = fall(p.x, p.start, end, between(rng, 0.09, 0.12)) * (1 + hill)
    run = Run(p, healthy()).add("loss", noisy(rng, p, clean)).add("lr", cosine(rng, p, warm))
    run.add("val_loss", val_noisy(rng, p, clean * 1.03))
    return add_company(rng, run, "grad_norm", share=0.5)


@family("healthy")
def cosine_restarts(rng: Rng, k: int) -> Run:
    """The learning rate restarts three to five times; the loss rises by 10 to 35 per cent at every restart and
    ends no cycle higher than the one before."""
    p = plan(rng, k, epochs=(50, 200), rows=(150, 800), tasks=("classes", "language"))
    cycles = int(rng.integers(3, 6))
    phase = (p.x * cycles * 0.99999) % 1.0
    base = good_course(rng, p, p.start * between(rng, 0.15, 0.35))
    lift = 1 + between(rng, 0.1, 0.35) * 0.5 * (1 + np.cos(np.pi * phase)) * (p.x > 1 / cycles * 0.99)
    run = Run(p, healthy()).add("loss", noisy(rng, p, base * lift))
    run.add("lr", 1e-3 * (0.01 + 0.99 * 0.5 * (1 + np.cos(np.pi * phase))))
    run.add("val_loss", val_noisy(rng, p, base * lift * 1.03))
    return run.need("loss", "lr")


@family("healthy")
def step_decays(rng: Rng, k: int) -> Run:
    """The classical image recipe: flat stretches, and at every tenfold cut of the learning rate the loss drops at
    once; after the last cut it is flat at a good level."""
    p = plan(rng, k, tasks=("classes",), classes=(10, 100, 1000), epochs=(60, 200), rows=(150, 800))
    cuts = (0.33, 0.66) if rng.random() < 0.5 else (0.5, 0.75)
    first = good_course(rng, p, p.start * between(rng, 0.3, 0.4))
    drop = 1 - 0.45 * (1 - np.exp(-np.clip(p.x - cuts[0], 0, None) / 0.015))
    drop = drop * (1 - 0.2 * (1 - np.exp(-np.clip(p.x - cuts[1], 0, None) / 0.015)))
    clean = first * drop
    run = Run(p, healthy()).add("loss", noisy(rng, p, clean))
    run.add("lr", 0.1 * np.where(p.x >= cuts[0], 0.1, 1.0) * np.where(p.x >= cuts[1], 0.1, 1.0))
    run.add("val_loss", val_noisy(rng, p, clean * 1.06 + 0.02))
    add_accuracies(rng, run, clean, p.chance, between(rng, 0.9, 0.95), between(rng, 0.88, 0.9))
    return run.need("loss", "lr")


@family("healthy")
def long_tail(rng: Rng, k: int) -> Run:
    """A power law: most of the fall early, then a long tail so flat that twice the run would gain less than one
    per cent of what was gained."""
    p = plan(rng, k, epochs=(60, 200), rows=(150, 1000))
    clean = fall(p.x, p.start, p.start * between(rng, 0.15, 0.35), 1 / between(rng, 60, 110), 1.0)
    run = Run(p, healthy()).add("loss", noisy(rng, p, clean))
    run.add("val_loss", val_noisy(rng, p, clean * between(rng, 1.01, 1.05)))
    return add_company(rng, run, "cosine", "grad_norm", share=0.5)


@family("healthy")
def val_slightly_above(rng: Rng, k: int) -> Run:
    """Validation loss runs 5 to 15 per cent above training loss from the early evaluations to the end, both flat at a
    good level: the ordinary gap."""
    p = plan(rng, k, epochs=(24, 200))
    clean = good_course(rng, p)
    run = Run(p, healthy()).add("loss", noisy(rng, p, clean))
    run.add("val_loss", val_noisy(rng, p, clean * between(rng, 1.05, 1.15)))
    return add_company(rng, run.need("loss", "val_loss"), "cosine", "grad_norm", share=0.4)


@family("healthy")
def small_end_gap(rng: Rng, k: int) -> Run:
    """A gap of two to five points of accuracy opens towards the end, but validation loss and accuracy are at
    their best and flat: nothing got worse."""
    p = plan(rng, k, tasks=("classes",), classes=(10, 20, 100), epochs=(24, 150), evals=(12, 40))
    val = good_course(rng, p, p.start * between(rng, 0.14, 0.2))
    train = val * (1 - between(rng, 0.15, 0.3) * np.clip(p.x / 0.6, 0, 1))
    high = between(rng, 0.9, 0.95)
    run = Run(p, healthy()).add("loss", noisy(rng, p, train)).add("val_loss", val_noisy(rng, p, val))
    run.add("acc", acc_noise(rng, p, acc_for(train, train[0], train[-1], p.chance, high)))
    run.add(
        "val_acc", acc_noise(rng, p, acc_for(val, val[0], val[-1], p.chance, high - between(rng, 0.02, 0.05)), 0.003)
    )
    return run.need("loss", "val_loss")


@family("healthy")
def few_harmless_spikes(rng: Rng, k: int) -> Run:
    """Two to four single rows lie 20 to 45 per cent above the others, scattered over a long step log that is
    otherwise sound; the very next row is normal again."""
    p = plan(rng, k, units=("step",), rows=(300, 1000), total=(600, 50_000), tasks=("classes", "language"))
    clean = good_course(rng, p)
    loss = clean * wobble(rng, p.n, between(rng, 0.05, 0.08), 0.0)
    for place in rng.choice(np.arange(p.n // 10, p.n - 5), int(rng.integers(2, 5)), replace=False):
        loss += clean * bump(p.n, int(place), between(rng, 0.2, 0.45), 0.25)
    run = Run(p, healthy()).add("loss", loss)
    if rng.random() < 0.6:
        run.add("val_loss", val_noisy(rng, p, clean * 1.03))
    return add_company(rng, run, "cosine", "grad_norm", share=0.5)


@family("healthy")
def val_below_training(rng: Rng, k: int) -> Run:
    """Dropout and augmentation weigh on training only: validation loss lies 5 to 25 per cent below training loss all
    along, both settle well."""
    p = plan(rng, k, tasks=("classes", "regression"), epochs=(24, 150))
    clean = good_course(rng, p)
    below = between(rng, 0.75, 0.95)
    run = Run(p, healthy()).add("loss", noisy(rng, p, clean)).add("val_loss", val_noisy(rng, p, clean * below))
    high = between(rng, 0.9, 0.95)
    add_accuracies(rng, run, clean, p.chance, high, high + 0.02, share=0.7)
    if rng.random() < 0.3:
        run.add("grad_norm", healthy_grad(rng, p))
    return run.need("loss", "val_loss")
