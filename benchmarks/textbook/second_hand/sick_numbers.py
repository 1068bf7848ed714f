"""Sick runs whose sign is in the course of the loss or in the gradients: broken, running away, swinging, jumping."""

from __future__ import annotations

import numpy as np

from benchmarks.textbook.model import Run, advice, sick

from .shapes import (
    Rng,
    accuracy,
    between,
    by,
    cosine,
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


@family("non-finite")
def half_precision_turns_nan(rng: Rng, variant: int) -> Run:
    """A language model trains normally in 16 bits; from one step to the next its loss and gradient norm are NaN and
    stay so (clear: for the last 40 % of the log; usual: the last 10 %; weak: the last one to three rows)."""
    plan = steps(rng, variant, 60, 180, passes=between(rng, 0.6, 3.0))
    row = by(variant, plan.row(0.6), plan.row(0.9), plan.n - int(rng.integers(1, 4)))
    loss = noisy(rng, power(plan.x, 10.6, between(rng, 3.2, 4.5)), 0.02)
    val = noisy(rng, power(plan.x, 10.6, 4.2), 0.004)
    grad = noisy(rng, np.full(plan.n, between(rng, 0.4, 1.5)), 0.2)
    loss[row:] = val[row:] = grad[row:] = np.nan
    run = Run(plan, sick("non-finite", row, 1)).add("loss", loss).need("loss")
    if rng.random() < 0.6:
        run.add("grad_norm", grad)
    if rng.random() < 0.6:
        run.add("val_loss", val)
    if variant % 3 == 2 and rng.random() < 0.5:
        run.tail = "Loss is nan, stopping training"
    return run


@family("non-finite")
def division_by_zero_at_the_start(rng: Rng, variant: int) -> Run:
    """A hand-written loss (log or division) is finite for a few rows only, then Inf or NaN for the rest of the run
    (clear: from the second row; usual: within six rows; weak: after a tenth of the run)."""
    plan = (
        epochs(rng, variant, 20, 60, task="targets") if rng.random() < 0.5 else steps(rng, variant, 40, 90, "targets")
    )
    row = by(variant, 1, int(rng.integers(2, 7)), max(4, plan.row(0.1)))
    loss = noisy(rng, falls(plan.x, between(rng, 2.0, 80.0), 0.5, 4.0), 0.03)
    loss[row:] = np.nan
    if rng.random() < 0.4:
        loss[row] = np.inf
    val = loss * 1.05
    run = Run(plan, sick("non-finite", row, 1)).add("loss", loss).need("loss")
    if plan.unit == "epoch":
        run.add("val_loss", val)
    return run


@family("exploding-gradients")
def recurrent_gradients_run_away(rng: Rng, variant: int) -> Run:
    """A recurrent net's gradient norm leaves its level and multiplies row by row; the loss rises after it (clear: by
    millions, NaN in the last rows; usual: by thousands; weak: by some 60 times, the loss only begins to rise)."""
    plan = steps(rng, variant, 60, 140, classes=int(rng.choice([65, 96, 10000])), passes=2.0)
    since = between(rng, 0.5, 0.75)
    row = plan.row(since)
    up = grown(plan.x, since)
    factor = by(variant, 1e7, 5e3, 60.0)
    grad = noisy(rng, between(rng, 0.3, 3.0) * factor**up, 0.2)
    loss = noisy(rng, power(plan.x, plan.start, 0.5 * plan.start), 0.015)
    loss = loss * (1.0 + by(variant, 3.0, 1.0, 0.25) * np.clip(up - 0.3, 0.0, None) ** 1.5)
    accepted: tuple[str, ...] = ("diverging",)
    if variant % 3 == 0:
        loss[-3:] = grad[-3:] = np.nan
        accepted = ("diverging", "non-finite")
    run = Run(plan, sick("exploding-gradients", row, max(3, plan.n // 14), accepted))
    return run.add("loss", loss).add("grad_norm", grad).need("loss", "grad_norm")


@family("exploding-gradients")
def bursts_of_gradient(rng: Rng, variant: int) -> Run:
    """Unclipped training with bursts: every so often the gradient norm is far over its level for one to three rows,
    and the loss jumps with it and takes a while to come back (clear: 12 bursts of 100 to 1000 times; usual: 7 bursts
    of 50 to 200 times; weak: 4 bursts of about 25 times). The first burst comes early."""
    plan = steps(rng, variant, 100, 220, passes=2.0, noise=0.015)
    count = by(variant, 12, 7, 4)
    spots = np.linspace(0.12, 0.93, count) + rng.uniform(-0.02, 0.02, count)
    grad = noisy(rng, np.full(plan.n, between(rng, 0.4, 2.0)), 0.2)
    loss = noisy(rng, power(plan.x, 9.5, 4.0), 0.012)
    rise = np.zeros(plan.n)
    for spot in spots:
        row = plan.row(float(spot))
        height = by(variant, between(rng, 100, 1000), between(rng, 50, 200), between(rng, 20, 35))
        grad[row] *= height
        if row + 1 < plan.n and rng.random() < 0.6:
            grad[row + 1] *= 0.3 * height
        late = np.arange(plan.n) - row
        rise += np.where(late >= 0, by(variant, 0.7, 0.4, 0.25) * np.exp(-late / 3.0), 0.0)
    truth = sick("exploding-gradients", plan.row(float(spots[0])), max(3, plan.n // 20), ("spiking",))
    return Run(plan, truth).add("loss", loss * (1.0 + rise)).add("grad_norm", grad).need("loss", "grad_norm")


@family("vanishing-gradients")
def logistic_stack_without_signal(rng: Rng, variant: int) -> Run:
    """A deep stack of sigmoid layers: the gradient norm is next to nothing from the first row, loss and accuracy stay
    at chance (clear: 1e-9; usual: 1e-6; weak: 1e-4 to 3e-4, with a loss that moves by less than its noise)."""
    classes = int(rng.choice([2, 5, 10, 26]))
    plan = epochs(rng, variant, 15, 50, classes=classes, noise=0.002)
    level = by(variant, 1e-9, 1e-6, 2e-4) * between(rng, 0.5, 2.0)
    loss = noisy(rng, np.full(plan.n, plan.start * 1.001), 0.0008)
    run = Run(plan, sick("vanishing-gradients", accepted=("not-learning",))).add("loss", loss)
    run.add("acc", measured(rng, np.full(plan.n, plan.chance), 20000))
    run.add("val_loss", noisy(rng, np.full(plan.n, plan.start), 0.0004))
    return run.add("grad_norm", noisy(rng, np.full(plan.n, level), 0.25)).need("loss", "grad_norm")


@family("vanishing-gradients")
def signal_dies_on_the_way(rng: Rng, variant: int) -> Run:
    """Learning begins well, then the gradient norm falls by orders of magnitude and the loss stands still far above
    what its accuracy allows (clear: a million times smaller; usual: ten thousand; weak: a thousand). The learning
    rate, where shown, is constant. Onset: where the norm has fallen to a hundredth."""
    plan = epochs(rng, variant, 30, 80, classes=int(rng.choice([10, 20, 100])))
    begin, width = between(rng, 0.15, 0.3), between(rng, 0.12, 0.25)
    orders = by(variant, 6.0, 4.0, 3.0)
    done = np.clip((plan.x - begin) / width, 0.0, 1.0)
    grad = noisy(rng, between(rng, 0.5, 3.0) * 10.0 ** (-orders * done), 0.2)
    still = np.minimum(plan.x, begin + 0.7 * width)
    loss = noisy(rng, plan.start * (1.0 - 0.35 * np.sqrt(still / (begin + 0.7 * width))), 0.004)
    truth = sick(
        "vanishing-gradients", plan.row(begin + 2 / orders * width), max(3, plan.n // 8), ("plateau", "underfitting")
    )
    run = Run(plan, truth).add("loss", loss).add("acc", measured(rng, accuracy(loss, plan.classes), 20000))
    if rng.random() < 0.6:
        run.add("val_acc", measured(rng, accuracy(loss * 1.02, plan.classes), 4000))
    return extras(run.add("grad_norm", grad).need("loss", "grad_norm"), rng)


@family("diverging")
def peak_rate_too_high(rng: Rng, variant: int) -> Run:
    """A transformer learns while its rate warms up; near the peak of the rate the loss turns, climbs and stays there
    (clear: back to where it started; usual: a third of the way back; weak: by 6 % of its lowest level)."""
    plan = steps(rng, variant, 70, 180, classes=int(rng.choice([8000, 32000, 50257])), noise=0.012)
    turn = between(rng, 0.12, 0.35)
    row = plan.row(turn)
    low = 0.58 * plan.start
    high = by(variant, 0.97 * plan.start, low + 0.35 * (plan.start - low), 1.06 * low)
    loss = np.where(plan.x <= turn, falls(plan.x / turn, plan.start, low, 3.5), 0.0)
    back = falls(np.clip((plan.x - turn) / (1.0 - turn), 0.0, None), low, high, 9.0)
    loss = noisy(rng, np.where(plan.x <= turn, loss, back), 0.008, 0.3)
    accepted = ("plateau",) if variant % 3 == 2 else ()
    run = Run(plan, sick("diverging", row, max(4, plan.n // 12), accepted)).add("loss", loss).need("loss")
    if rng.random() < 0.6:
        run.add("lr", cosine(plan.x, 2e-3, 2e-4, warm=turn * 1.1))
    return run


@family("diverging")
def late_runaway(rng: Rng, variant: int) -> Run:
    """A dense-prediction or regression run with good progress that leaves its level late and climbs to the end, in
    training and validation alike (clear: to 30 times its best; usual: to 5 times; weak: by 60 %)."""
    plan = epochs(rng, variant, 40, 120, task="targets")
    since = between(rng, 0.65, 0.85)
    unit = float(rng.choice([1.0, 0.1, 25.0]))
    base = unit * power(plan.x, 1.0, between(rng, 0.08, 0.2), 0.05, 1.0)
    up = by(variant, 30.0, 5.0, 1.6) ** grown(plan.x, since)
    run = Run(plan, sick("diverging", plan.row(since), max(3, plan.n // 14))).need("loss")
    run.add("loss", noisy(rng, base * up, 0.02))
    if rng.random() < 0.7:
        run.add("val_loss", noisy(rng, 1.1 * base * up, 0.03))
    return run


@family("diverging")
def unscaled_targets_blow_up(rng: Rng, variant: int) -> Run:
    """Plain gradient descent on raw targets: the squared error grows from the first rows and never falls, without
    becoming NaN (clear: by ten orders of magnitude; usual: by three; weak: it triples over the run)."""
    plan = epochs(rng, variant, 12, 40, task="targets")
    start = 10.0 ** between(rng, 0.0, 4.0)
    loss = noisy(rng, start * by(variant, 1e10, 1e3, 3.0) ** plan.x, by(variant, 0.2, 0.08, 0.03))
    run = Run(plan, sick("diverging", 0, 3, ("exploding-gradients",))).add("loss", loss).need("loss")
    if rng.random() < 0.5:
        run.add("val_loss", noisy(rng, loss * 1.2, 0.05))
    return run


@family("oscillating")
def rate_too_high_bounces(rng: Rng, variant: int) -> Run:
    """A rate far too high: after a first fall the epoch loss bounces up and down without net progress, and accuracy
    with it (clear: within a factor of four; usual: within a factor of two; weak: by some 15 % where epochs average
    hundreds of batches)."""
    plan = epochs(rng, variant, 25, 60, classes=int(rng.choice([10, 20])))
    level = plan.start * by(variant, 0.6, 0.6, 0.5)
    sway = wobble(rng, plan.n, 1.0, -0.35)
    base = falls(plan.x, plan.start, level, 25.0)
    loss = base * np.exp(by(variant, 0.4, 0.22, 0.11) * sway)
    run = Run(plan, sick("oscillating", None, accepted=("plateau", "underfitting"))).add("loss", loss).need("loss")
    run.add("acc", np.clip(accuracy(loss, plan.classes), plan.chance, 1.0))
    if rng.random() < 0.5:
        val = loss * np.exp(by(variant, 0.4, 0.22, 0.1) * wobble(rng, plan.n, 1.0))
        run.add("val_loss", val).add("val_acc", np.clip(accuracy(val, plan.classes), plan.chance, 1.0))
    return extras(run, rng, peak=float(rng.choice([0.1, 0.5, 1.0])), grad=False)


@family("oscillating")
def swings_that_grow(rng: Rng, variant: int) -> Run:
    """High momentum at a high rate: regular swings whose size grows from nothing to most of the level, on a mean that
    no longer falls (clear: 80 % of the level; usual: 45 %; weak: 20 %). Onset: where they stand out of the noise."""
    plan = epochs(rng, variant, 50, 120, task="targets", noise=0.01)
    period, since = between(rng, 6.0, 11.0), between(rng, 0.2, 0.4)
    mean = falls(plan.x, 1.0, 0.35, 12.0)
    size = by(variant, 0.8, 0.45, 0.2) * grown(plan.x, since) ** 1.2
    loss = noisy(rng, mean * (1.0 + size * np.sin(2 * np.pi * np.arange(plan.n) / period)), 0.008)
    truth = sick("oscillating", plan.row(since + by(variant, 0.05, 0.07, 0.14)), max(6, plan.n // 7), ("diverging",))
    run = Run(plan, truth).add("loss", loss * float(rng.choice([1.0, 0.2, 40.0]))).need("loss")
    return extras(run, rng, grad=False)


@family("spiking")
def files_read_in_order(rng: Rng, variant: int) -> Run:
    """Sorted files are read in the same order every epoch: at each epoch's start the loss jumps and comes back within
    a quarter of the epoch, over five to nine epochs (clear: it doubles, sick; usual: by half, advice; weak: by a sixth,
    advice)."""
    passes = int(rng.integers(5, 10))
    plan = steps(rng, variant, 16 * passes, 26 * passes, "classes", 10, passes=passes)
    number = (plan.at - 1) // plan.per_epoch
    late = np.arange(plan.n) - np.searchsorted(number, number)
    later = number > 0
    height = by(variant, 1.1, 0.5, 0.18)
    base = power(plan.x, 2.3, 0.6, 0.1, 0.8)
    loss = noisy(rng, base * (1.0 + height * np.exp(-late / 1.7) * later), by(variant, 0.04, 0.03, 0.02))
    truth = (sick if variant % 3 == 0 else advice)("spiking", accepted=())
    return extras(Run(plan, truth).add("loss", loss).need("loss"), rng, grad=False)


@family("spiking")
def bad_shard_spikes(rng: Rng, variant: int) -> Run:
    """Pre-training with sudden loss spikes that decay over five to twenty rows to the old trend (clear: five spikes to
    two or three times the level, sick; usual: two of 60 %, advice; weak: a single one of 25 %, advice). The gradient
    norm, where shown, rises a few times at the spike."""
    plan = steps(rng, variant, 150, 300, classes=50257, noise=0.01, passes=0.8)
    spots = np.sort(rng.choice(np.arange(3, 19), by(variant, 5, 2, 1), replace=False)) / 20.0
    base = noisy(rng, power(plan.x, 10.8, 3.1, 0.01), 0.009)
    grad = noisy(rng, np.full(plan.n, 0.6), 0.12)
    rise = np.zeros(plan.n)
    for spot in spots:
        late = np.arange(plan.n) - plan.row(float(spot))
        height = by(variant, between(rng, 1.0, 2.0), between(rng, 0.5, 0.7), between(rng, 0.22, 0.3))
        fade = between(rng, 2.0, 6.0)
        rise += np.where(late >= 0, height * np.exp(-late / fade), 0.0)
        grad *= 1.0 + np.where((late >= 0) & (late < 3), 3.0, 0.0)
    verdict = sick if variant % 3 == 0 else advice
    run = Run(plan, verdict("spiking", plan.row(float(spots[0])), 3)).add("loss", base * (1.0 + rise)).need("loss")
    return run.add("grad_norm", grad) if rng.random() < 0.4 else run
