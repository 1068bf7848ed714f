"""Healthy runs whose task makes the numbers look odd."""

from __future__ import annotations

import dataclasses

import numpy as np

from ..curves import (
    Rng,
    acc_noise,
    add_company,
    between,
    cosine,
    fall,
    good_course,
    logwise,
    noisy,
    plan,
    val_noisy,
    wobble,
)
from ..model import Run, family, healthy


@family("healthy")
def gan_in_balance(rng: Rng, k: int) -> Run:
    """Two losses in balance: after a short struggle the generator hovers around 0.8 to 2 and the discriminator around
    0.9 to 1.3; neither falls, and neither should."""
    p = plan(rng, k, tasks=("classes",), epochs=(30, 200), rows=(100, 600))
    p = dataclasses.replace(p, task="gan")
    settle = np.exp(-p.x / 0.05)
    memory = 0.5
    run = Run(p, healthy())
    noise = between(rng, 0.04, 0.12)
    run.add("loss_d", (between(rng, 0.9, 1.3) + 0.3 * settle) * wobble(rng, p.n, noise, memory))
    run.add("loss_g", (between(rng, 0.8, 2.0) + 1.5 * settle) * wobble(rng, p.n, noise * 1.3, memory))
    return run.need("loss_d", "loss_g")


@family("healthy")
def negative_by_design(rng: Rng, k: int) -> Run:
    """A log-likelihood, ELBO or reward loss that passes zero and settles below it, validation beside it."""
    p = plan(rng, k, tasks=("regression",), epochs=(30, 150), scales=(0.1, 100.0))
    start, end = p.scale * between(rng, 0.5, 2), -p.scale * between(rng, 1, 4)
    clean = fall(p.x, start, end, between(rng, 0.06, 0.12))
    spread = (start - end) * (0.004 if p.unit == "epoch" else 0.02)
    run = Run(p, healthy()).add("loss", clean + rng.normal(0, spread, p.n))
    run.add("val_loss", clean + 0.02 * (start - end) + rng.normal(0, spread * 0.4, p.n))
    return add_company(rng, run.need("loss"), "cosine", "grad_norm", share=0.4)


@family("healthy")
def fine_tune_low_start(rng: Rng, k: int) -> Run:
    """Fine-tuning a good model: the loss starts low, falls by a fifth to a half and settles; accuracy starts high and
    gains a few points."""
    p = plan(rng, k, tasks=("classes",), classes=(2, 4, 10), epochs=(12, 40), rows=(80, 400), evals=(8, 20))
    start = between(rng, 0.35, 0.6)
    clean = fall(p.x, start, start * between(rng, 0.5, 0.75), between(rng, 0.08, 0.13))
    run = Run(p, healthy()).add("loss", clean * wobble(rng, p.n, min(p.noise, 0.03)))
    run.add("val_loss", val_noisy(rng, p, clean * between(rng, 1.0, 1.06)))
    low, high = between(rng, 0.84, 0.88), between(rng, 0.91, 0.94)
    run.add("val_acc", acc_noise(rng, p, high - (high - low) * (clean - clean[-1]) / (clean[0] - clean[-1]), 0.003))
    return add_company(rng, run.need("loss", "val_loss"), "cosine", share=0.5)


@family("healthy")
def language_pretraining(rng: Rng, k: int) -> Run:
    """Language pretraining: loss from ln(vocabulary) to about 3, perplexity beside it, warm-up and cosine
    schedule, flat at the end because the learning rate was planned to end there."""
    p = plan(rng, k, units=("step",), tasks=("language",), rows=(200, 1000), total=(2000, 50_000), evals=(12, 40))
    lr = cosine(rng, p, 0.03)
    work = np.cumsum(lr) / lr.sum()
    clean = fall(work, 10.82, between(rng, 2.8, 3.4), 0.02, 0.9)
    run = Run(p, healthy()).add("loss", clean * wobble(rng, p.n, 0.012)).add("lr", lr)
    val = val_noisy(rng, p, clean * 1.005)
    run.add("val_loss", val).add("val_ppl", np.exp(val))
    return add_company(rng, run.need("loss"), "grad_norm", share=0.6)


@family("healthy")
def tiny_units(rng: Rng, k: int) -> Run:
    """Regression in tiny units: the loss starts near 1e-5 and settles near 1e-7; small numbers, sound course."""
    p = plan(rng, k, tasks=("regression",), epochs=(24, 200))
    p = dataclasses.replace(p, scale=logwise(rng, 1e-7, 1e-4))
    clean = good_course(rng, p, p.start * between(rng, 0.01, 0.08))
    run = Run(p, healthy()).add("loss", noisy(rng, p, clean))
    run.add("val_loss", val_noisy(rng, p, clean * between(rng, 1.0, 1.1)))
    return add_company(rng, run.need("loss"), "cosine", share=0.4)


@family("healthy")
def huge_units(rng: Rng, k: int) -> Run:
    """Regression in raw units (prices, pixels squared): the loss starts at millions and settles at a few per cent
    of it, still a huge number; R2 is good."""
    p = plan(rng, k, tasks=("regression",), epochs=(24, 200))
    p = dataclasses.replace(p, scale=logwise(rng, 1e5, 1e9))
    clean = good_course(rng, p, p.start * between(rng, 0.03, 0.1))
    run = Run(p, healthy()).add("loss", noisy(rng, p, clean))
    val = val_noisy(rng, p, clean * between(rng, 1.0, 1.1))
    run.add("val_loss", val).add("val_r2", np.round(1 - val / (p.start * 1.1), 4))
    return add_company(rng, run.need("loss"), "cosine", share=0.4)


@family("healthy")
def early_in_warm_up(rng: Rng, k: int) -> Run:
    """The log covers only the warm-up: the learning rate is still rising in a straight line and the loss has begun to
    fall as it should. Far from done, but nothing is wrong yet."""
    p = plan(rng, k, units=("step",), tasks=("language",), rows=(40, 200), total=(200, 2000), evals=(3, 6))
    ramp = (np.arange(p.n) + 1) / p.n
    clean = 10.85 - between(rng, 2.5, 4.0) * ramp ** between(rng, 1.1, 1.5)
    run = Run(p, healthy("unfinished")).add("loss", clean * wobble(rng, p.n, 0.006))
    run.add("lr", between(rng, 3e-4, 6e-4) * ramp)
    run.total = int(p.at[-1] * 20)
    return add_company(rng, run.need("loss", "lr"), "grad_norm", share=0.5)


@family("healthy")
def contrastive(rng: Rng, k: int) -> Run:
    """A contrastive loss starts at ln(batch size) and settles at 40 to 60 per cent of it, because that is its
    floor; the probe accuracy rises to a good level and settles too."""
    p = plan(rng, k, tasks=("classes",), classes=(256, 512, 1024), epochs=(40, 200), rows=(120, 800))
    p = dataclasses.replace(p, task="contrastive")
    clean = fall(p.x, p.start, p.start * between(rng, 0.4, 0.6), between(rng, 0.07, 0.12))
    run = Run(p, healthy()).add("loss", clean * wobble(rng, p.n, min(p.noise, 0.02)))
    top = between(rng, 0.78, 0.88)
    run.add("val_acc", acc_noise(rng, p, top - (top - 0.3) * np.exp(-p.x / 0.1), 0.003))
    return add_company(rng, run.need("loss", "val_acc"), "cosine", share=0.6)


@family("healthy")
def val_loss_up_accuracy_up(rng: Rng, k: int) -> Run:
    """Validation loss rises slightly (3 to 9 per cent over the second half) while validation accuracy still
    clearly rises (4 to 8 points over the same stretch): the measure that counts gets better, only the calibration
    slips."""
    p = plan(rng, k, tasks=("classes",), classes=(10, 20, 100), epochs=(24, 100), evals=(16, 40))
    half = np.clip((p.x - 0.5) / 0.5, 0, 1)
    best = p.start * between(rng, 0.35, 0.45)
    val = (best + (p.start - best) * np.exp(-p.x / 0.1)) * (1 + between(rng, 0.03, 0.09) * half)
    train = fall(p.x, p.start, best * between(rng, 0.45, 0.6), 0.25)
    level, gain = between(rng, 0.68, 0.76), between(rng, 0.04, 0.08)
    acc = level - (level - p.chance) * np.exp(-p.x / 0.12) + gain * half
    run = Run(p, healthy("overfitting", "unfinished")).add("loss", noisy(rng, p, train))
    run.add("val_loss", val * (1 + rng.normal(0, 0.006, p.n)))
    run.add("val_acc", acc_noise(rng, p, acc, 0.002))
    run.add("acc", acc_noise(rng, p, acc + 0.01 + 0.06 * p.x, 0.003))
    return run.need("val_loss", "val_acc")
