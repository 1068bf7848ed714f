"""Sick runs whose sign is in what the machine does: loss scale, data time, step time."""

from __future__ import annotations

import numpy as np

from benchmarks.textbook.model import Floats, Run, advice, sick

from .shapes import Rng, accuracy, between, by, epochs, extras, family, grown, measured, noisy, power, steps


@family("precision-lost")
def scaler_shrinks_to_nothing(rng: Rng, variant: int) -> Run:
    """Mixed precision: a loss scale of 2^15 or 2^16 is halved again and again from some row on, every halving a
    skipped step, and the loss no longer moves (clear: to under 1e-6; usual: to below 1; weak: to 16 or 8 and still
    halving at the end)."""
    plan = steps(rng, variant, 60, 150, passes=1.5, noise=0.012)
    since = between(rng, 0.35, 0.65)
    row = plan.row(since)
    start = int(rng.choice([15, 16]))
    last = by(variant, -24, -4, 3)
    power_of_two = np.round(start - (start - last) * grown(plan.x, since))
    skipped = np.cumsum(np.maximum(0.0, -np.diff(power_of_two, prepend=start)))
    held = np.minimum(plan.x, since + 0.1)
    run = Run(plan, sick("precision-lost", row, max(4, plan.n // 10)))
    run.add("loss", noisy(rng, power(held, 9.8, 3.4), 0.012)).add("loss_scale", 2.0**power_of_two)
    if rng.random() < 0.5:
        run.add("skipped", skipped)
    return run.need("loss", "loss_scale")


@family("precision-lost")
def overflow_again_and_again(rng: Rng, variant: int) -> Run:
    """Every few rows an overflow: the scale never gets off the ground and steps are skipped throughout (clear: scale
    0.125 to 2, half of the rows skip; usual: 1 to 16, a third; weak: 16 to 128, a sixth, advice). Printed logs show the
    scaler's own lines."""
    plan = steps(rng, variant, 60, 140, passes=1.2, noise=0.012)
    low, often = by(variant, -3, 0, 4), by(variant, 0.5, 0.33, 0.17)
    exponent = low + 3.0 * np.ones(plan.n)
    skips = rng.random(plan.n) < often
    level = float(low + 2)
    notes: list[tuple[int, str]] = []
    for row in range(plan.n):
        if skips[row]:
            level = max(low, level - 1.0)
            notes.append((row, f"Gradient overflow.  Skipping step, loss scaler 0 reducing loss scale to {2.0**level}"))
        elif rng.random() < often:
            level = min(low + 3.0, level + 1.0)
        exponent[row] = level
    verdict = advice if variant % 3 == 2 else sick
    run = Run(plan, verdict("precision-lost"))
    run.add("loss", noisy(rng, power(plan.x, 9.6, 5.5, 0.1), 0.015)).add("loss_scale", 2.0**exponent)
    per_row = float(plan.at[1] - plan.at[0]) * by(variant, 0.5, 0.3, 0.2)
    run.add("skipped", np.cumsum(np.round(skips * rng.uniform(0.5, 1.0, plan.n) * per_row)))
    run.notes = notes
    return run.need("loss", "loss_scale", "skipped")


def _learning(run: Run, rng: Rng) -> Run:
    """A sound course of the loss, and accuracy, beside timings."""
    plan = run.plan
    loss = noisy(rng, power(plan.x, plan.start, 0.3 * plan.start, 0.1, 0.8), 0.02)
    return run.add("loss", loss).add("acc", measured(rng, accuracy(loss, plan.classes), 2560))


@family("waiting-for-data")
def loader_cannot_keep_up(rng: Rng, variant: int) -> Run:
    """Every step waits for its batch (clear: 85 % of the step; usual: 60 %; weak: 35 %); the learning is sound."""
    plan = steps(rng, variant, 50, 120, "classes", int(rng.choice([10, 100, 1000])), passes=3.0)
    whole = noisy(rng, np.full(plan.n, between(rng, 0.15, 1.5)), 0.06)
    share = np.clip(by(variant, 0.85, 0.6, 0.35) + rng.normal(0, 0.03, plan.n), 0.05, 0.97)
    run = _learning(Run(plan, advice("waiting-for-data")), rng)
    return run.add("batch_time", whole).add("data_time", whole * share).need("data_time", "batch_time")


@family("waiting-for-data")
def stalls_every_few_steps(rng: Rng, variant: int) -> Run:
    """Each step is logged; one step in as many as there are workers waits long for data, the others not at all (clear:
    70 % of all time; usual: 50 %; weak: 35 %). The learning is sound."""
    plan = steps(rng, variant, 80, 200, "classes", 100, passes=1.0, every=1)
    workers = int(rng.choice([4, 8]))
    share = by(variant, 0.7, 0.5, 0.35)
    work = between(rng, 0.1, 0.4)
    wait: Floats = noisy(rng, np.full(plan.n, 0.002), 0.2)
    hit = np.arange(plan.n) % workers == 0
    wait[hit] = noisy(rng, np.full(int(hit.sum()), workers * work * share / (1.0 - share)), 0.15)
    run = _learning(Run(plan, advice("waiting-for-data")), rng)
    batch = wait + noisy(rng, np.full(plan.n, work), 0.03)
    return run.add("batch_time", batch).add("data_time", wait).need("data_time", "batch_time")


@family("slowing-down")
def history_kept_alive(rng: Rng, variant: int) -> Run:
    """Something holds on to every step's graph: the step time grows evenly from the first row on (clear: to five times;
    usual: to twice; weak: by 35 %), memory, where shown, with it. The learning is sound."""
    plan = steps(rng, variant, 60, 150, "classes", int(rng.choice([10, 100])), passes=2.0)
    factor = by(variant, 5.0, 2.0, 1.35)
    run = _learning(Run(plan, advice("slowing-down")), rng)
    run.add("batch_time", noisy(rng, between(rng, 0.08, 0.6) * (1.0 + (factor - 1.0) * plan.x), 0.03))
    if rng.random() < 0.6:
        run.add("memory", np.round(between(rng, 2000, 6000) * (1.0 + 0.8 * (factor - 1.0) * plan.x)))
    return run.need("batch_time")


@family("slowing-down")
def slower_after_each_epoch(rng: Rng, variant: int) -> Run:
    """Outputs are collected epoch after epoch: the time per step, one figure per epoch, goes up a stair with every
    epoch (clear: to four times; usual: to twice; weak: by 40 %). The learning is sound."""
    plan = epochs(rng, variant, 15, 40, classes=int(rng.choice([5, 10])))
    factor = by(variant, 4.0, 2.0, 1.4)
    run = Run(plan, advice("slowing-down"))
    loss = noisy(rng, power(plan.x, plan.start * 0.8, 0.2 * plan.start, 0.1, 0.8), 0.01)
    run.add("loss", loss).add("acc", measured(rng, accuracy(loss, plan.classes), 20000))
    run.add("val_acc", measured(rng, accuracy(loss * 1.08 + 0.02, plan.classes), 5000))
    run.add("batch_time", noisy(rng, between(rng, 0.05, 0.3) * (1.0 + (factor - 1.0) * plan.x**1.3), 0.025))
    return extras(run.need("batch_time"), rng, "cosine", grad=False)
