"""Validation that never fits training: apart from the start, or at chance for ever."""

from __future__ import annotations

import numpy as np

from ..curves import (
    Rng,
    acc_for,
    acc_noise,
    add_company,
    between,
    fall,
    noisy,
    plan,
    rounded,
    val_noisy,
)
from ..model import Run, family, sick


@family("validation-apart")
def val_apart_loss(rng: Rng, k: int) -> Run:
    """Validation loss is 2 to 4 times the training loss at the very first evaluation and both fall side by side;
    the gap never grows (other preprocessing, another distribution, another reduction)."""
    p = plan(rng, k, tasks=("regression", "classes"), epochs=(16, 150))
    end = p.start * between(rng, 0.3, 0.45)
    clean = fall(p.x, p.start, end, between(rng, 0.1, 0.16))
    factor = (between(rng, 2.8, 4), between(rng, 2.3, 3), between(rng, 2, 2.4))[p.hard]
    run = Run(p, sick("validation-apart", int(p.evals[0]), 2))
    run.add("loss", noisy(rng, p, clean)).add("val_loss", val_noisy(rng, p, clean * factor))
    return add_company(rng, run.need("loss", "val_loss"), "lr", share=0.4)


@family("validation-apart")
def val_apart_accuracy(rng: Rng, k: int) -> Run:
    """Training accuracy is 25 to 40 points above validation accuracy already at the first evaluation; both rise in
    parallel and the gap stays."""
    p = plan(rng, k, tasks=("classes",), classes=(10, 20, 100), epochs=(16, 120), evals=(12, 40))
    gap = between(rng, 0.25, 0.38)
    train = between(rng, 0.84, 0.93) - (0.36 + 0.04 * rng.random()) * np.exp(-p.x / between(rng, 0.12, 0.2))
    run = Run(p, sick("validation-apart", int(p.evals[0]), 2))
    run.add("acc", acc_noise(rng, p, train)).add("val_acc", acc_noise(rng, p, train - gap, 0.004))
    return run.need("acc", "val_acc")


@family("not-generalising")
def val_at_chance_accuracy(rng: Rng, k: int) -> Run:
    """Training accuracy rises to 85 to 99 per cent while validation accuracy scatters around 1/classes from the first
    evaluation to the last."""
    p = plan(rng, k, tasks=("classes",), classes=(2, 4, 10, 20), epochs=(14, 120), evals=(12, 40))
    train = fall(p.x, p.start, p.start * between(rng, 0.05, 0.2), between(rng, 0.15, 0.25))
    spread = (0.02, 0.03, 0.04)[p.hard] * np.sqrt(p.chance)
    run = Run(p, sick("not-generalising", int(p.evals[0]), 2))
    run.add("loss", noisy(rng, p, train))
    run.add("acc", acc_noise(rng, p, acc_for(train, train[0], train[-1], p.chance, between(rng, 0.85, 0.99))))
    run.add("val_acc", rounded(np.clip(p.chance + rng.normal(0, spread, p.n), 0, 1)))
    return run.need("acc", "val_acc")


@family("not-generalising")
def val_at_chance_loss(rng: Rng, k: int) -> Run:
    """Training loss falls to a fifth or less of its start while validation loss stays within a few per cent of
    ln(classes) in every evaluation."""
    p = plan(rng, k, tasks=("classes",), classes=(4, 10, 20, 100), epochs=(14, 120), evals=(12, 40))
    train = fall(p.x, p.start, p.start * between(rng, 0.06, 0.2), between(rng, 0.15, 0.3))
    val = p.start * (1 + between(rng, 0.0, 0.02) + rng.normal(0, 0.006 + 0.004 * p.hard, p.n))
    run = Run(p, sick("not-generalising", int(p.evals[0]), 2))
    run.add("loss", noisy(rng, p, train)).add("val_loss", val)
    return run.need("loss", "val_loss")
