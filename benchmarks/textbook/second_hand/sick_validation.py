"""Sick runs whose sign is in the distance between training and validation."""

from __future__ import annotations

import numpy as np

from benchmarks.textbook.model import Run, advice, sick

from .shapes import (
    Rng,
    accuracy,
    between,
    by,
    epochs,
    extras,
    falls,
    family,
    grown,
    measured,
    noisy,
    power,
    steps,
    wobble,
)


@family("overfitting")
def validation_loss_turns_up(rng: Rng, variant: int) -> Run:
    """A classifier's validation loss falls, turns and climbs while the training loss goes to zero (clear: to 2.5 times
    its best; usual: by half; weak: by 12 %); the validation accuracy stops rising at about the same time."""
    plan = epochs(rng, variant, 25, 90, classes=int(rng.choice([5, 10, 50])))
    turn = by(variant, between(rng, 0.15, 0.35), between(rng, 0.25, 0.5), between(rng, 0.4, 0.6))
    low = between(rng, 0.35, 0.5) * plan.start
    loss = noisy(rng, power(plan.x, plan.start, by(variant, 0.01, 0.05, 0.12) * plan.start, 0.3, 2.0), 0.008)
    up = by(variant, 1.5, 0.5, 0.12) * grown(plan.x, turn)
    val = noisy(rng, falls(np.minimum(plan.x / turn, 1.0), plan.start, low, 4.0) * (1.0 + up), 0.01)
    run = Run(plan, sick("overfitting", plan.row(turn), max(3, plan.n // 7))).add("loss", loss).add("val_loss", val)
    run.add("acc", measured(rng, accuracy(loss, plan.classes), 30000))
    base = accuracy(falls(np.minimum(plan.x / turn, 1.0), plan.start, low, 4.0), plan.classes)
    run.add("val_acc", measured(rng, base, 5000))
    return extras(run.need("loss", "val_loss"), rng, str(rng.choice(["constant", "cosine"])))


@family("overfitting")
def memorises_epoch_by_epoch(rng: Rng, variant: int) -> Run:
    """A language model is fine-tuned for many passes over little text: the training loss goes down a stair at every
    epoch's end, the validation loss turns up after the first or second epoch (clear: six epochs, by 60 %; usual: four
    epochs, by 20 %; weak: three epochs, by 6 %). The rate falls in a line to zero."""
    passes = by(variant, 6, 4, 3)
    plan = steps(rng, variant, 20 * passes, 40 * passes, passes=passes, evals=3 * passes, noise=0.04)
    epoch = np.floor((plan.at - 1) / plan.per_epoch)
    inside = ((plan.at - 1) % plan.per_epoch) / plan.per_epoch
    start = between(rng, 1.4, 2.4)
    stair = start * by(variant, 0.55, 0.7, 0.78) ** epoch * (1.0 - 0.06 * inside)
    stair[: max(2, plan.n // 40)] *= 1.15
    turn = 1.0 / passes * (1.0 if passes < 4 else 1.5)
    low = 0.93 * start
    rise = by(variant, 0.6, 0.2, 0.06) * grown(plan.x, turn)
    val = noisy(rng, falls(np.minimum(plan.x / turn, 1.0), start * 1.05, low, 4.0) * (1.0 + rise), 0.002)
    run = Run(plan, sick("overfitting", plan.row(turn), max(4, plan.n // 6)))
    run.add("loss", noisy(rng, stair, 0.04)).add("val_loss", val)
    return extras(run.need("loss", "val_loss"), rng, "linear", peak=2e-5)


@family("overfitting")
def f1_falls_while_training_climbs(rng: Rng, variant: int) -> Run:
    """Only a score is kept for validation: F1 climbs to a peak and then falls while the training loss goes on falling
    (clear: loses 0.15; usual: 0.07; weak: 0.03 against a noise of 0.006)."""
    plan = epochs(rng, variant, 20, 60, classes=2)
    turn = between(rng, 0.25, 0.5)
    peak = between(rng, 0.68, 0.85)
    rise = 0.45 + (peak - 0.45) * (1.0 - np.exp(-4.5 * np.minimum(plan.x / turn, 1.0)))
    score = rise - by(variant, 0.15, 0.07, 0.03) * grown(plan.x, turn)
    loss = noisy(rng, power(plan.x, 0.66, by(variant, 0.01, 0.04, 0.06), 0.3, 1.5), 0.01)
    run = Run(plan, sick("overfitting", plan.row(turn), max(4, plan.n // 6))).add("loss", loss)
    run.add("acc", measured(rng, np.exp(-0.9 * loss), 20000))
    run.add("val_f1", score + wobble(rng, plan.n, 0.006))
    return extras(run.need("loss", "val_f1"), rng)


@family("overfitting")
def gap_opens_and_stays(rng: Rng, variant: int) -> Run:
    """A big net on little data: training accuracy goes to 1, validation accuracy stops early and stays far behind
    without falling (gap at the end: clear 45 points, usual 30, weak 17); the validation loss creeps up."""
    plan = epochs(rng, variant, 30, 100, classes=int(rng.choice([10, 20])))
    gap = by(variant, 0.45, 0.3, 0.17)
    top = 0.985 - gap
    turn = between(rng, 0.15, 0.3)
    acc = plan.chance + (0.99 - plan.chance) * (1.0 - np.exp(-5.0 * plan.x))
    val_acc = plan.chance + (top - plan.chance) * (1.0 - np.exp(-1.2 * 5.0 * plan.x))
    loss = noisy(rng, power(plan.x, plan.start, 0.03, 0.25, 1.8), 0.01)
    low = 2.9 * (1.0 - top)
    val = falls(np.minimum(plan.x / turn, 1.0), plan.start, low, 4.0)
    val = noisy(rng, val * (1.0 + by(variant, 0.45, 0.3, 0.15) * grown(plan.x, turn)), 0.01)
    run = Run(plan, sick("overfitting", plan.row(turn), max(5, plan.n // 5)))
    run.add("loss", loss).add("acc", measured(rng, acc, 8000)).add("val_loss", val)
    run.add("val_acc", measured(rng, val_acc, 2000))
    return extras(run.need("loss", "val_loss", "val_acc"), rng, "cosine")


@family("double-descent")
def second_descent(rng: Rng, variant: int) -> Run:
    """Noisy labels and a wide net over hundreds of epochs: validation falls, rises to a hump while training begins to
    fit the noise, and falls again to below its first minimum (hump over the first minimum: clear 35 %, usual 18 %,
    weak 8 %)."""
    plan = epochs(rng, variant, 150, 400, classes=10, every=1)
    first, hump = between(rng, 0.08, 0.14), between(rng, 0.28, 0.42)
    base = falls(plan.x, plan.start, 1.0, 40.0) - by(variant, 0.25, 0.2, 0.15) * np.clip(
        (plan.x - hump) / 0.5, 0.0, 1.0
    )
    width = np.where(plan.x < hump, (hump - first) / 1.8, 0.16)
    val = noisy(rng, base + by(variant, 0.5, 0.25, 0.12) * np.exp(-0.5 * ((plan.x - hump) / width) ** 2), 0.012)
    loss = noisy(rng, power(plan.x, plan.start, 0.03, 0.15, 1.6), 0.01)
    run = Run(plan, advice("double-descent", accepted=())).add("loss", loss).add("val_loss", val)
    run.add("acc", measured(rng, accuracy(loss, 10), 50000))
    run.add("val_acc", measured(rng, np.clip(1.0 - 0.33 * val, 0.1, 0.95), 10000))
    return extras(run.need("loss", "val_loss"), rng)


@family("validation-apart")
def evaluated_in_another_way(rng: Rng, variant: int) -> Run:
    """Validation is prepared in another way than training (normalisation, batch statistics): from the first evaluation
    its accuracy lies far below the training accuracy, both improve side by side and the distance does not grow
    (clear: 45 points; usual: 28; weak: 15)."""
    plan = epochs(rng, variant, 15, 50, classes=int(rng.choice([5, 10])))
    gap = by(variant, 0.45, 0.28, 0.15)
    acc = 0.93 - 0.18 * np.exp(-4.0 * plan.x)
    val_acc = acc - gap - 0.01
    loss = noisy(rng, 2.9 * (1.0 - acc), 0.01)
    val = noisy(rng, 2.9 * (1.0 - val_acc), 0.015)
    accepted = ("overfitting",) if variant % 3 == 2 else ()
    run = Run(plan, sick("validation-apart", accepted=accepted)).add("loss", loss)
    run.add("acc", measured(rng, acc, 40000))
    run.add("val_loss", val).add("val_acc", measured(rng, val_acc, 5000))
    return extras(run.need("loss", "val_loss", "val_acc"), rng, "cosine")


@family("validation-apart")
def validation_from_elsewhere(rng: Rng, variant: int) -> Run:
    """Validation comes from other recordings than training: its loss is a multiple of the training loss from the first
    evaluation, and the two run in parallel to the end (clear: 2.5 times at the end; usual: 1.9 times; weak: 1.45
    times)."""
    plan = steps(rng, variant, 60, 140, "targets", passes=between(rng, 2.0, 8.0), evals=20)
    bottom = between(rng, 0.3, 0.5)
    shift = by(variant, 1.5, 0.9, 0.45) * bottom
    base = power(plan.x, 1.0, bottom, 0.1, 0.9)
    run = Run(plan, sick("validation-apart")).add("loss", noisy(rng, base, 0.02))
    run.add("val_loss", noisy(rng, base + shift, 0.008))
    return extras(run.need("loss", "val_loss"), rng, "cosine")


@family("not-generalising")
def validation_labels_shuffled(rng: Rng, variant: int) -> Run:
    """Training becomes good, validation accuracy stays at chance from first to last evaluation and its loss at or over
    ln(classes) (clear: training reaches 99 %; usual: about 88 %; weak: 45 to 70 %)."""
    plan = epochs(rng, variant, 12, 50, classes=int(rng.choice([4, 10, 30])))
    end = by(variant, 0.03, 0.2, 0.45) * plan.start
    loss = noisy(rng, power(plan.x, plan.start * 0.95, end, 0.2, 1.2), 0.008)
    over = by(variant, 1.2, 0.5, 0.1)
    run = Run(plan, sick("not-generalising", accepted=("overfitting", "validation-apart"))).add("loss", loss)
    run.add("acc", measured(rng, accuracy(loss, plan.classes), 20000))
    run.add("val_loss", noisy(rng, plan.start * (1.01 + over * plan.x), 0.01))
    run.add("val_acc", measured(rng, np.full(plan.n, plan.chance), 3000))
    return extras(run.need("loss", "val_loss", "val_acc"), rng)


@family("not-generalising")
def nothing_carries_over(rng: Rng, variant: int) -> Run:
    """A regressor that learns its examples by heart: training R2 climbs while validation R2 stays about or below zero
    at every evaluation and the validation error at the variance of the targets (training reaches: clear 0.95, usual
    0.7, weak 0.45)."""
    plan = epochs(rng, variant, 20, 60, task="targets")
    fit = by(variant, 0.95, 0.7, 0.45) * (1.0 - np.exp(-3.0 * plan.x))
    run = Run(plan, sick("not-generalising", accepted=("overfitting", "validation-apart")))
    run.add("loss", noisy(rng, 1.0 - fit, 0.006)).add("r2", fit + wobble(rng, plan.n, 0.004))
    lost = by(variant, 0.15, 0.06, 0.02) * plan.x
    run.add("val_loss", noisy(rng, 1.01 + lost, 0.01)).add("val_r2", -0.01 - lost + wobble(rng, plan.n, 0.01))
    return extras(run.need("loss", "val_loss", "val_r2"), rng)
