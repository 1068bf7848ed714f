"""Sound runs with an unusual rhythm, noise, beginning or end."""

from __future__ import annotations

import numpy as np

from benchmarks.textbook.model import Run, healthy

from .shapes import (
    Rng,
    accuracy,
    between,
    cosine,
    epochs,
    extras,
    falls,
    family,
    measured,
    noisy,
    paced,
    power,
    steps,
    wobble,
)


@family("healthy")
def fine_tuning_begins_at_the_goal(rng: Rng, variant: int) -> Run:
    """A pretrained net is fine-tuned on a task it nearly knows: accuracy 92 % after the first epoch and 93 to 95 % at
    the end, losses low and almost flat, no gap to speak of, the rate falling in a line."""
    plan = epochs(rng, variant, 6, 20, classes=int(rng.choice([2, 5, 37])))
    top = between(rng, 0.935, 0.955)
    acc = top - 0.025 * np.exp(-4.0 * plan.x)
    run = Run(plan, healthy()).add("loss", noisy(rng, 2.6 * (0.996 - acc), 0.012))
    run.add("acc", measured(rng, acc + 0.004, 30000)).add("val_loss", noisy(rng, 2.8 * (1.0 - acc), 0.015))
    run.add("val_acc", measured(rng, acc, 5000))
    return extras(run.need("loss", "val_loss", "val_acc"), rng, "linear", peak=2e-5)


@family("healthy")
def three_epochs_of_fine_tuning(rng: Rng, variant: int) -> Run:
    """A short job that is simply done: three epochs of a text classifier, logged by steps, evaluated at epoch ends;
    the noisy loss falls quickly and settles, accuracy 0.88, 0.90, 0.905, the rate runs in a line to zero."""
    per = int(rng.integers(8, 16))
    plan = steps(rng, variant, 3 * per, 3 * per, "classes", 2, passes=3.0, evals=3)
    loss = falls(plan.x, 0.68, between(rng, 0.2, 0.25), 7.0)
    top = between(rng, 0.89, 0.93)
    acc = top - 0.03 * np.exp(-(np.arange(plan.n) / per) * 1.5)
    run = Run(plan, healthy()).add("loss", noisy(rng, loss, 0.06))
    run.add("val_loss", noisy(rng, falls(plan.x, 0.45, 0.275, 6.0), 0.006)).add("val_acc", measured(rng, acc, 3000))
    return run.add("lr", 3e-5 * (1.0 - plan.x * (plan.n - 1) / plan.n)).need("loss", "val_loss")


@family("healthy")
def resumed_near_the_end(rng: Rng, variant: int) -> Run:
    """The log begins at step 40,000 or later, as the run was resumed: the loss is low from the first row, a little high
    for a few rows while the optimiser's memory fills, then all but flat under the last part of a cosine."""
    begin = 1000 * int(rng.integers(40, 120))
    plan = steps(rng, variant, 60, 150, classes=50257, begin=begin, every=100, noise=0.01, passes=0.2)
    level = between(rng, 2.7, 3.2)
    loss = level * (1.0 + 0.03 * np.exp(-np.arange(plan.n) / 3.0) + 0.012 * np.exp(-3.0 * plan.x))
    run = Run(plan, healthy()).add("loss", noisy(rng, loss, 0.012)).add("val_loss", noisy(rng, loss * 1.01, 0.001))
    part = 0.75 + 0.25 * plan.x
    return run.add("lr", cosine(part, 6e-4, end=2e-5)).need("loss", "lr")


@family("healthy")
def warm_restarts(rng: Rng, variant: int) -> Run:
    """Cosine with warm restarts: at each restart of the rate loss and validation jump up and come back lower than
    before; the run ends with a cycle."""
    cycles = int(rng.integers(3, 6))
    plan = epochs(rng, variant, 14 * cycles, 22 * cycles, classes=int(rng.choice([10, 100])))
    inside = (plan.x * cycles * 0.99999) % 1.0
    number = np.floor(plan.x * cycles * 0.99999)
    hot = 0.5 * (1.0 + np.cos(np.pi * inside))
    low = power(plan.x, 0.75, 0.1, 0.15, 0.8) * plan.start
    later = np.minimum(1.0, number + plan.x * cycles)
    loss = low * (1.0 + 0.8 * hot * later)
    run = Run(plan, healthy()).add("loss", noisy(rng, loss, 0.01))
    val = noisy(rng, low * 1.12 * (1.0 + 0.55 * hot * later) + 0.03, 0.02)
    run.add("val_loss", val).add("val_acc", measured(rng, accuracy(val, plan.classes), 10000))
    return run.add("lr", float(rng.choice([0.1, 1e-3])) * np.maximum(hot, 1e-3)).need("loss", "lr")


@family("healthy")
def one_cycle_rough_middle(rng: Rng, variant: int) -> Run:
    """One-cycle policy: while the rate is near its peak the validation is rough and makes no headway, then everything
    comes down steeply as the rate does and settles."""
    plan = epochs(rng, variant, 25, 60, classes=int(rng.choice([10, 100])))
    rate = np.where(plan.x < 0.3, cosine(1.0 - plan.x / 0.3, 1.0, 0.04), cosine((plan.x - 0.3) / 0.7, 1.0))
    base = plan.start * (0.12 + 0.2 * rate + 0.45 * np.exp(-9.0 * plan.x))
    run = Run(plan, healthy()).add("loss", noisy(rng, base, 0.008))
    val = base * 1.08 * np.exp(wobble(rng, plan.n, 1.0) * (0.008 + 0.16 * rate)) + 0.03
    run.add("val_loss", val).add("val_acc", measured(rng, accuracy(val, plan.classes), 10000))
    return run.add("lr", float(rng.choice([0.4, 0.01])) * np.maximum(rate, 1e-4)).need("loss", "val_loss", "lr")


@family("healthy")
def mixture_changes_level(rng: Rng, variant: int) -> Run:
    """Pre-training switches to another data mixture: the training loss steps up (or down) once by 5 to 12 % and goes on
    falling from there under its cosine; the validation loss, always on the same text, falls on without a step."""
    plan = steps(rng, variant, 100, 240, classes=50257, noise=0.01, passes=0.9, evals=30)
    where = between(rng, 0.35, 0.7)
    step = between(rng, 0.05, 0.12) * (1.0 if variant % 3 else -1.0)
    rate = cosine(plan.x, 6e-4, 6e-6, 0.02)
    base = power(paced(rate), 10.7, between(rng, 2.6, 3.1), 0.008)
    run = Run(plan, healthy()).add("loss", noisy(rng, base * (1.0 + step * (plan.x > where)), 0.008))
    run.add("val_loss", noisy(rng, base * 1.02, 0.002)).add("lr", rate)
    run.notes = [(plan.row(where) + 1, "switching data mixture to phase 2 (more code, longer documents)")]
    return run.need("loss", "val_loss", "lr")


@family("healthy")
def longer_sequences_by_curriculum(rng: Rng, variant: int) -> Run:
    """A curriculum in three or four stages: at each stage the examples get harder, the training loss jumps up by a
    fifth to two fifths and falls again, the validation score on the full task climbs from stage to stage."""
    stages = int(rng.integers(3, 5))
    plan = epochs(rng, variant, 12 * stages, 20 * stages, task="targets")
    inside, number = (plan.x * stages * 0.99999) % 1.0, np.floor(plan.x * stages * 0.99999)
    loss = 0.3 + 0.7 * np.exp(-5.0 * inside) * np.where(number > 0, 0.14, 1.0) + 0.02 * number
    score = 0.86 * (1.0 - np.exp(-5.5 * plan.x)) + wobble(rng, plan.n, 0.006)
    run = Run(plan, healthy()).add("loss", noisy(rng, loss, 0.01)).add("val_acc", np.clip(score, 0.0, 1.0))
    run.add("stage", number + 1.0)
    return run.need("loss", "val_acc", "stage")


@family("healthy")
def few_validation_examples(rng: Rng, variant: int) -> Run:
    """Validation on 80 to 200 examples: its accuracy jumps by points from epoch to epoch and its loss jitters by 4 %,
    about a level that goes with training; the last third neither gains nor loses."""
    plan = epochs(rng, variant, 25, 70, classes=int(rng.choice([2, 3, 5])))
    size = int(rng.integers(80, 200))
    end = between(rng, 0.24, 0.34) * (plan.start / 0.69) ** 0.3
    loss = falls(plan.x, plan.start, end, 6.0)
    run = Run(plan, healthy()).add("loss", noisy(rng, loss, 0.012))
    run.add("acc", measured(rng, accuracy(loss, plan.classes), 4000))
    run.add("val_loss", noisy(rng, loss * 1.08, 0.04))
    run.add("val_acc", measured(rng, accuracy(loss * 1.08, plan.classes), size)).add("lr", cosine(plan.x, 1e-3))
    return run.need("loss", "val_loss", "val_acc")


@family("healthy")
def stopped_in_time(rng: Rng, variant: int) -> Run:
    """Early stopping with a patience of three to five epochs: the validation loss reaches its best, does not beat it
    for so many epochs (within two noises of it), and the run ends; the gap to training is small and just opening."""
    patience = int(rng.integers(3, 6))
    plan = epochs(rng, variant, 16, 40, classes=int(rng.choice([5, 10])))
    end = between(rng, 0.15, 0.22) * plan.start
    loss = falls(plan.x, plan.start, end * 0.92, 5.5)
    val = noisy(rng, falls(plan.x, 0.95 * plan.start, end * 1.03, 6.5), 0.005)
    best = plan.n - 1 - patience
    val[best] = 0.995 * val[: best + 1].min()
    val[best + 1 :] = val[best] * (1.0 + np.abs(rng.normal(0.008, 0.004, patience)))
    run = Run(plan, healthy()).add("loss", noisy(rng, loss, 0.006)).add("val_loss", val)
    run.add("acc", measured(rng, accuracy(loss, plan.classes), 20000))
    run.add("val_acc", measured(rng, accuracy(val, plan.classes), 5000))
    run.total = 100
    return extras(run.need("loss", "val_loss"), rng)


@family("healthy")
def heavy_tailed_batches(rng: Rng, variant: int) -> Run:
    """A long run logged batch by batch: documents differ so much that the noise has heavy tails (Student t with three
    to four degrees, 6 % of the loss) from first to last row; the trend falls and settles under a cosine."""
    plan = steps(rng, variant, 250, 600, classes=32000, noise=0.06, passes=0.9, evals=20)
    rate = cosine(plan.x, 3e-4, 3e-6, 0.02)
    base = power(paced(rate), 9.8, between(rng, 2.8, 3.4), 0.01)
    tail = rng.standard_t(between(rng, 3.0, 4.0), plan.n) * 0.04
    run = (
        Run(plan, healthy()).add("loss", base * np.clip(1.0 + tail, 0.6, 1.6)).add("val_loss", noisy(rng, base, 0.002))
    )
    run.add("lr", rate)
    if rng.random() < 0.5:
        run.add("grad_norm", 0.8 * np.exp(np.clip(0.25 * rng.standard_t(4.0, plan.n), -1.5, 1.5)))
    return run.need("loss", "val_loss", "lr")


@family("healthy")
def norm_grows_as_it_learns(rng: Rng, variant: int) -> Run:
    """The gradient norm of a language model creeps up two to four times over the run, as it often does, while both
    losses fall smoothly and settle under a cosine."""
    plan = steps(rng, variant, 80, 200, classes=32000, noise=0.012, passes=0.9)
    rate = cosine(plan.x, 6e-4, 6e-6, 0.02)
    base = power(paced(rate), 10.3, between(rng, 2.9, 3.4), 0.01)
    grad = noisy(rng, between(rng, 0.2, 0.5) * (1.0 + between(rng, 1.0, 3.0) * plan.x), 0.12)
    grad[:4] *= np.array([8.0, 5.0, 3.0, 1.5])
    run = Run(plan, healthy()).add("loss", noisy(rng, base, 0.012)).add("val_loss", noisy(rng, base * 1.01, 0.003))
    return run.add("grad_norm", grad).add("lr", rate).need("loss", "grad_norm", "lr")


@family("healthy")
def scaler_finds_its_level(rng: Rng, variant: int) -> Run:
    """Mixed precision at work: the scale comes down from 65536 in the first rows with a handful of skipped steps, then
    doubles now and then and is halved once after each doubling or two, always in the thousands; the loss falls and
    settles."""
    plan = steps(rng, variant, 60, 150, noise=0.012, passes=0.9)
    start = int(rng.integers(12, 15))
    exponent = np.full(plan.n, float(start))
    exponent[0], exponent[1] = 16.0, 15.0
    level, gap = float(start), max(6, plan.n // 9)
    for row in range(2, plan.n):
        if row % gap == 0:
            level += 1.0 if level <= start else -1.0
        exponent[row] = level
    rate = cosine(plan.x, 5e-4, 1e-5, 0.03)
    base = power(paced(rate), 9.9, between(rng, 3.0, 3.6), 0.01)
    run = Run(plan, healthy()).add("loss", noisy(rng, base, 0.012)).add("loss_scale", 2.0**exponent)
    if rng.random() < 0.5:
        run.add("skipped", np.cumsum(np.maximum(0.0, -np.diff(exponent, prepend=18.0))))
    run.add("val_loss", noisy(rng, base * 1.01, 0.003)).add("lr", rate)
    return run.need("loss", "loss_scale", "lr")


@family("healthy")
def slow_first_batches(rng: Rng, variant: int) -> Run:
    """Workers start anew every epoch: the first logged batch of an epoch waits long for data, all others a few per
    cent of the step; apart from that the step time is even. The learning is sound."""
    passes = int(rng.integers(3, 6))
    plan = steps(rng, variant, 25 * passes, 40 * passes, "classes", int(rng.choice([10, 100])), passes=passes)
    row_epoch = (plan.at - 1) // plan.per_epoch
    first = np.diff(row_epoch, prepend=-1) > 0
    work = noisy(rng, np.full(plan.n, between(rng, 0.15, 0.6)), 0.03)
    wait = np.where(first, between(rng, 3.0, 6.0) * work, noisy(rng, 0.03 * work, 0.3))
    loss = noisy(rng, falls(plan.x, plan.start, 0.12 * plan.start, 5.0), 0.03)
    run = Run(plan, healthy()).add("loss", loss).add("acc", measured(rng, accuracy(loss, plan.classes), 2560))
    return run.add("batch_time", work + wait).add("data_time", wait).need("data_time", "batch_time")


@family("healthy")
def mosaic_closed_for_the_last_epochs(rng: Rng, variant: int) -> Run:
    """A detector whose mosaic augmentation is switched off for the last ten epochs: the training loss drops by a tenth
    to a sixth there, the validation loss does not; mAP reaches 0.5 to 0.8 and has settled, the rate falls in a line."""
    plan = epochs(rng, variant, 60, 150, task="detection")
    loss = falls(plan.x, between(rng, 5.5, 7.5), between(rng, 2.6, 3.4), 4.0)
    val = falls(plan.x, 6.0, float(loss[-1]) * 1.12, 6.0)
    loss = loss * np.where(np.arange(plan.n) >= plan.n - 10, 1.0 - between(rng, 0.1, 0.16), 1.0)
    score = between(rng, 0.5, 0.8) * (1.0 - np.exp(-5.5 * plan.x)) + wobble(rng, plan.n, 0.006)
    run = Run(plan, healthy()).add("loss", noisy(rng, loss, 0.006)).add("val_loss", noisy(rng, val, 0.008))
    run.add("val_map", np.clip(score, 0.0, 1.0)).add("lr", 0.01 * (1.0 - 0.99 * plan.x))
    return run.need("loss", "val_loss", "val_map")
