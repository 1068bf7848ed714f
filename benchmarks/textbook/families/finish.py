"""Runs that end badly timed: the learning rate gone too early, or stopped while still improving."""

from __future__ import annotations

import dataclasses

import numpy as np

from ..curves import Rng, acc_noise, add_company, between, constant_lr, logwise, noisy, one_of, plan, val_noisy
from ..model import Floats, Plan, Run, advice, family, sick


def driven(rng: Rng, p: Plan, lr: Floats, useful: float) -> Floats:
    """A loss whose progress is the sum of the learning rate: it freezes where the rate is gone.

    `useful` is how many times the work done would have been needed to come e times closer to the floor.
    """
    work = np.cumsum(lr) / lr.sum()
    end = p.start * between(rng, 0.03, 0.1)
    out: Floats = end + (p.start - end) * np.exp(-work / useful)
    return out


@family("learning-rate-gone")
def lr_decayed_to_nothing(rng: Rng, k: int) -> Run:
    """An exponential or too frequent step decay takes the learning rate to a millionth of its start or less in
    the first half; the loss, still falling steeply, freezes at a poor level at that moment."""
    p = plan(rng, k, tasks=("classes", "regression"), classes=(10, 100, 1000), epochs=(24, 200))
    peak = logwise(rng, 1e-4, 0.1)
    pace = between(rng, 0.04, 0.09)
    decay = np.exp(-p.x / pace) if k % 3 else 0.1 ** np.floor(p.x / (pace * 2.2))
    clean = driven(rng, p, np.asarray(decay), between(rng, 0.8, 1.6))
    run = Run(p, sick("learning-rate-gone", p.row(min(pace * 4.6, 0.6)), max(3, p.n // 6)))
    run.add("loss", noisy(rng, p, clean)).add("lr", peak * decay)
    if rng.random() < 0.5:
        run.add("val_loss", val_noisy(rng, p, clean * 1.02))
    return run.need("loss", "lr")


@family("learning-rate-gone")
def lr_schedule_too_short(rng: Rng, k: int) -> Run:
    """The schedule was told too few steps: a linear or cosine decay reaches zero (or 1e-9) at 20 to 45 per cent
    of the run, the loss is still falling there and does not move afterwards."""
    p = plan(rng, k, tasks=("classes", "language"), classes=(10, 100, 1000), epochs=(24, 200))
    end = between(rng, 0.2, 0.45)
    share = np.clip(p.x / end, 0, 1)
    decay = 1 - share if k % 3 else 0.5 * (1 + np.cos(np.pi * share))
    decay = np.maximum(decay, one_of(rng, (0.0, 1e-7)))
    clean = driven(rng, p, decay, between(rng, 0.9, 1.8))
    run = Run(p, sick("learning-rate-gone", p.row(end), max(3, p.n // 8)))
    run.add("loss", noisy(rng, p, clean)).add("lr", logwise(rng, 5e-5, 3e-3) * decay)
    if rng.random() < 0.5:
        run.add("val_loss", val_noisy(rng, p, clean * 1.02))
    return run.need("loss", "lr")


@family("unfinished")
def unfinished_loss(rng: Rng, k: int) -> Run:
    """Training and validation loss are both still falling in a straight line when the log ends: the last fifth alone
    brought 8 to 20 per cent; the learning rate, where logged, is constant."""
    p = plan(rng, k, epochs=(14, 100))
    end = p.start * between(rng, 0.3, 0.5)
    mix = 0.45 * np.exp(-p.x / 0.12) + 0.55 * (1 - p.x)
    clean = end + (p.start - end) * mix
    run = Run(p, advice("unfinished", None)).add("loss", noisy(rng, p, clean))
    if rng.random() < 0.8:
        run.add("val_loss", val_noisy(rng, p, clean * between(rng, 1.01, 1.05)))
    if rng.random() < 0.4:
        run.add("lr", constant_lr(rng, p))
    return run.need("loss", *(["val_loss"] if "val_loss" in run.columns else []))


@family("unfinished")
def unfinished_metric(rng: Rng, k: int) -> Run:
    """The task's measure (accuracy, BLEU, mAP or F1) is still climbing in a straight line on validation when the log
    ends, and training is close by."""
    p = plan(rng, k, tasks=("classes",), classes=(10, 20, 100), epochs=(14, 80), evals=(14, 40))
    low, high = between(rng, 0.1, 0.2), between(rng, 0.5, 0.65)
    climb = low + (high - low) * (0.3 * (1 - np.exp(-p.x / 0.1)) + 0.7 * p.x)
    metric = ("acc", "bleu", "map", "f1")[(k // 2) % 4]
    run = Run(p, advice("unfinished", None))
    run.add("loss", noisy(rng, p, p.start * (1 - 0.75 * climb)))
    if metric == "acc":
        run.add("acc", acc_noise(rng, p, climb)).add("val_acc", acc_noise(rng, p, climb - 0.015, 0.004))
        return run.need("acc", "val_acc")
    if metric == "map":
        run.plan = dataclasses.replace(p, task="detection")
    factor = 40.0 if metric == "bleu" else 1.0
    run.add(f"val_{metric}", climb * factor + rng.normal(0, 0.005 * factor, p.n))
    return add_company(rng, run.need("loss", f"val_{metric}"), "lr", share=0.3)
