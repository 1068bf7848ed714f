"""Sick and advice runs that learn nothing, too little, too slowly or not long enough."""

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
    measured,
    noisy,
    steps,
    wobble,
)


@family("not-learning")
def labels_do_not_match(rng: Rng, variant: int) -> Run:
    """Labels have come apart from their inputs: training and validation stay at ln(classes) and at chance (clear: an
    epoch log, flat to a thousandth; usual: the same with a short fall from a bad start; weak: a noisy log of a few
    hundred steps)."""
    classes = int(rng.choice([4, 10, 50, 200]))
    weak = variant % 3 == 2
    plan = (
        steps(rng, variant, 40, 80, "classes", classes, passes=2.0)
        if weak
        else epochs(rng, variant, 12, 40, classes=classes)
    )
    first = by(variant, 0.004, 0.25, 0.06)
    loss = plan.start * (1.0 + first * np.exp(-np.arange(plan.n) / 0.7) + 0.001)
    run = Run(plan, sick("not-learning")).add("loss", noisy(rng, loss, by(variant, 0.0007, 0.0015, 0.012)))
    run.add("acc", measured(rng, np.full(plan.n, plan.chance), 3200 if weak else 30000))
    run.add("val_loss", noisy(rng, loss, 0.0008)).add("val_acc", measured(rng, np.full(plan.n, plan.chance), 5000))
    return extras(run.need("loss", "val_loss"), rng)


@family("not-learning")
def predicts_the_mean(rng: Rng, variant: int) -> Run:
    """A regressor gives the mean of the targets for everything: after the first row the error is the variance of the
    targets (1 where they are normalised) and R2 stays within a hundredth or two of zero (clear: normalised targets;
    usual: raw units; weak: R2 on few examples, swinging by 0.03)."""
    plan = epochs(rng, variant, 15, 50, task="targets", scale=by(variant, 1.0, between(rng, 40, 3000), 1.0))
    first = between(rng, 0.2, 1.5)
    loss = noisy(rng, plan.scale * (1.0 + first * np.exp(-np.arange(plan.n) / 0.5)), 0.004)
    fit = -0.004 + wobble(rng, plan.n, by(variant, 0.002, 0.005, 0.02))
    run = Run(plan, sick("not-learning", accepted=("underfitting",))).add("loss", loss)
    run.add("val_loss", noisy(rng, plan.scale * (1.0 + first * np.exp(-np.arange(plan.n) / 0.4)), 0.006))
    return extras(run.add("val_r2", fit).need("loss", "val_r2"), rng)


@family("not-learning")
def optimizer_holds_nothing(rng: Rng, variant: int) -> Run:
    """The optimiser was given none of the weights: the training loss only shows its batches, the validation loss is
    the same number at every evaluation (clear and usual: to all digits; weak: it moves by a few ten-thousandths, as
    only the last biases learn)."""
    plan = steps(rng, variant, 60, 150, noise=0.04, passes=by(variant, 3.0, 1.0, 2.0), evals=9)
    level = between(rng, 2.2, 7.0)
    drift = by(variant, 0.0, 0.0, 8e-4)
    val = np.full(plan.n, level * between(rng, 0.98, 1.03)) * (1.0 - drift * plan.x)
    accepted = ("learning-slowly",) if variant % 3 == 2 else ()
    run = Run(plan, sick("not-learning", accepted=accepted))
    run.add("loss", noisy(rng, np.full(plan.n, level), by(variant, 0.02, 0.04, 0.04)))
    return extras(run.add("val_loss", val).need("loss", "val_loss"), rng)


@family("learning-slowly")
def crawls_with_a_tiny_rate(rng: Rng, variant: int) -> Run:
    """A rate hundreds of times too small: the loss falls in a straight line and has come a little way below chance at
    the end (clear: 1 % below; usual: 3 %; weak: 8 %), accuracy with it, training and validation alike."""
    classes = int(rng.choice([10, 100, 1000]))
    plan = epochs(rng, variant, 20, 60, classes=classes)
    way = by(variant, 0.012, 0.03, 0.08) * between(rng, 0.9, 1.15)
    loss = plan.start * (1.002 - way * plan.x)
    noise = by(variant, 0.0003, 0.0006, 0.001)
    run = Run(plan, sick("learning-slowly", accepted=("unfinished",))).add("loss", noisy(rng, loss, noise))
    run.add("val_loss", noisy(rng, loss * 1.0005, noise))
    run.add("acc", measured(rng, accuracy(loss, classes), 40000))
    run.add("val_acc", measured(rng, accuracy(loss, classes), 10000))
    return extras(run.need("loss"), rng, peak=float(rng.choice([1e-6, 1e-5, 1e-7])))


@family("learning-slowly")
def head_crawls_in_raw_units(rng: Rng, variant: int) -> Run:
    """A regression from raw inputs, logged by steps: in the whole run the error comes down by a few hundredths of the
    targets' variance and R2 creeps up from zero (clear: to 0.02; usual: to 0.05; weak: to 0.1)."""
    plan = steps(rng, variant, 80, 160, "targets", scale=between(rng, 0.8, 1.2), noise=0.02, passes=4.0, evals=16)
    way = by(variant, 0.02, 0.05, 0.1)
    loss = noisy(rng, plan.scale * (1.0 - way * plan.x), by(variant, 0.004, 0.012, 0.02))
    run = Run(plan, sick("learning-slowly", accepted=("unfinished", "underfitting"))).add("loss", loss)
    run.add("val_loss", noisy(rng, plan.scale * (1.0 - way * plan.x), 0.002))
    run.add("val_r2", way * plan.x + wobble(rng, plan.n, 0.002))
    return extras(run.need("loss", "val_r2"), rng, peak=1e-6)


@family("plateau")
def blanks_only_speech(rng: Rng, variant: int) -> Run:
    """A CTC recogniser falls quickly to the loss of printing blanks (about 2.9) and stays there, its word error rate
    at 1 throughout (clear: for 85 % of the run; usual: 70 %; weak: half of the run, word errors 0.97 to 1)."""
    plan = epochs(rng, variant, 25, 60, task="speech", classes=29)
    end = by(variant, 0.15, 0.3, 0.5)
    row = plan.row(end)
    loss = noisy(rng, falls(plan.x / end, between(rng, 7.0, 16.0), between(rng, 2.8, 3.0), 5.5), 0.004)
    wer = np.ones(plan.n) if variant % 3 < 2 else np.clip(1.0 - np.abs(rng.normal(0.012, 0.008, plan.n)), 0.95, 1.0)
    truth = sick("plateau", row, max(4, plan.n // 6), ("not-learning", "one-class", "underfitting"))
    run = Run(plan, truth).add("loss", loss).add("val_loss", noisy(rng, loss * 1.01, 0.006)).add("val_wer", wer)
    return extras(run.need("loss", "val_wer"), rng)


@family("plateau")
def stuck_above_its_classes(rng: Rng, variant: int) -> Run:
    """A classifier makes real progress, then none for most of the run, at a loss that is still most of ln(classes)
    (clear: 75 %; usual: 65 %; weak: 50 %) and an accuracy far from useful; the rate, where shown, is constant."""
    plan = epochs(rng, variant, 30, 80, classes=int(rng.choice([20, 50, 100])))
    end = between(rng, 0.15, 0.35)
    level = by(variant, 0.75, 0.65, 0.5) * plan.start
    loss = noisy(rng, falls(plan.x / end, plan.start, level, 4.5), 0.004)
    val = noisy(rng, falls(plan.x / end, plan.start, level * 1.03, 4.5), 0.007)
    run = Run(plan, sick("plateau", plan.row(end), max(4, plan.n // 7), ("underfitting",))).add("loss", loss)
    run.add("acc", measured(rng, accuracy(loss, plan.classes), 30000)).add("val_loss", val)
    run.add("val_acc", measured(rng, accuracy(val, plan.classes), 5000))
    return extras(run.need("loss", "val_loss"), rng)


@family("plateau")
def detector_stands_still(rng: Rng, variant: int) -> Run:
    """A detector at a constant rate: the loss falls for a quarter of the run, then neither it nor the mAP moves any
    more (clear: mAP 0.08; usual: 0.16; weak: 0.25). Whether the data allow more the log cannot say: advice."""
    plan = epochs(rng, variant, 50, 120, task="detection")
    end = between(rng, 0.2, 0.3)
    loss = noisy(rng, falls(plan.x / end, between(rng, 6.0, 9.0), between(rng, 3.2, 4.2), 4.5), 0.006)
    score = by(variant, 0.08, 0.16, 0.25) * (1.0 - np.exp(-4.0 * plan.x / end))
    run = Run(plan, advice("plateau", plan.row(end), max(5, plan.n // 6), ("underfitting",))).add("loss", loss)
    run.add("val_loss", noisy(rng, loss * 1.06, 0.008)).add("val_map", np.abs(score + wobble(rng, plan.n, 0.004)))
    run.add("lr", np.full(plan.n, float(rng.choice([0.01, 0.001]))))
    return run.need("loss", "val_loss", "val_map")


@family("learning-rate-gone")
def cosine_ended_early(rng: Rng, variant: int) -> Run:
    """The cosine was set for fewer steps than the run has: the rate reaches zero while the loss still falls steeply,
    and everything after stands still (clear: at 25 % of the run, sick; usual: at 45 %, sick; weak: at 65 %, advice).
    Onset: where the rate is a hundredth of its peak."""
    plan = epochs(rng, variant, 30, 90, classes=int(rng.choice([10, 100])))
    end = by(variant, 0.25, 0.45, 0.65)
    rate = cosine(np.clip(plan.x / end, 0.0, 1.0), float(rng.choice([0.1, 1e-3, 3e-4])))
    if rng.random() < 0.5:
        rate = np.maximum(rate, 1e-8)
    done = np.cumsum(rate) / np.sum(rate)
    level = by(variant, 0.68, 0.55, 0.42)
    loss = noisy(rng, plan.start * (1.0 - (1.0 - level) * done**0.8), 0.004)
    val = noisy(rng, plan.start * (1.0 - (0.97 - level) * done**0.8), 0.006)
    verdict = advice if variant % 3 == 2 else sick
    row = int(np.argmax((rate < 0.01 * rate.max()) & (plan.x > 0.1)))
    truth = verdict("learning-rate-gone", row, max(3, plan.n // 10), ("plateau", "underfitting"))
    run = Run(plan, truth).add("loss", loss).add("val_loss", val).add("lr", rate)
    run.add("val_acc", measured(rng, accuracy(val, plan.classes), 10000))
    return run.need("loss", "lr")


@family("learning-rate-gone")
def impatient_scheduler(rng: Rng, variant: int) -> Run:
    """A scheduler with hardly any patience divides the rate by ten (or two) at every small hesitation of the
    validation loss, so that it is below a ten-thousandth of its start when the loss has come only part of the way
    (clear: by 20 % of the run; usual: 35 %; weak: 55 %). Onset: where it is a hundredth of its start."""
    plan = epochs(rng, variant, 30, 70, classes=int(rng.choice([10, 37])))
    end = by(variant, 0.2, 0.35, 0.55)
    base = float(rng.choice([0.1, 0.2, 0.5]))
    cuts = int(np.ceil(4.5 / -np.log10(base)))
    places = np.sort(rng.uniform(0.45 * end, end, cuts))
    count = np.array([int(np.sum(places <= x)) for x in plan.x])
    rate = float(rng.choice([1e-2, 1e-3])) * base**count
    done = np.cumsum(rate) / np.sum(rate)
    loss = noisy(rng, plan.start * (1.0 - by(variant, 0.3, 0.4, 0.5) * done**0.7), 0.004)
    val = noisy(rng, loss * 1.03, 0.008)
    row = int(np.argmax(rate <= 0.0101 * rate[0]))
    truth = sick("learning-rate-gone", row, max(4, plan.n // 8), ("plateau", "underfitting"))
    run = Run(plan, truth).add("loss", loss).add("val_loss", val).add("lr", rate)
    run.add("acc", measured(rng, accuracy(loss, plan.classes), 30000))
    return run.need("loss", "lr")


@family("underfitting")
def linear_model_on_pictures(rng: Rng, variant: int) -> Run:
    """A model too small for its task: loss and accuracy of training and validation settle together at a poor level
    and stay there for the last half (clear: accuracy near twice chance; usual: 38 to 42 % of ten classes; weak:
    about half right)."""
    plan = epochs(rng, variant, 25, 70)
    level = by(variant, 1.98, 1.68, 1.42)
    loss = noisy(rng, falls(plan.x, plan.start, level, 8.0), 0.002)
    val = noisy(rng, falls(plan.x, plan.start, level * 1.01, 8.0), 0.004)
    run = Run(plan, sick("underfitting", accepted=("plateau",))).add("loss", loss).add("val_loss", val)
    run.add("acc", measured(rng, accuracy(loss, 10), 50000)).add("val_acc", measured(rng, accuracy(val, 10), 10000))
    return extras(run.need("loss", "val_loss"), rng, "constant")


@family("underfitting")
def overregularised_regression(rng: Rng, variant: int) -> Run:
    """Too much weight decay or dropout: error and R2 of training and validation settle together, with most of the
    variance unexplained (clear: R2 0.1; usual: 0.25; weak: 0.4)."""
    plan = epochs(rng, variant, 30, 90, task="targets", scale=1.0)
    top = by(variant, 0.1, 0.25, 0.4)
    fit = top * (1.0 - np.exp(-9.0 * plan.x))
    run = Run(plan, sick("underfitting", accepted=("plateau",)))
    run.add("loss", noisy(rng, 1.0 - fit, 0.003)).add("val_loss", noisy(rng, 1.01 - 0.98 * fit, 0.005))
    run.add("r2", fit + wobble(rng, plan.n, 0.003)).add("val_r2", 0.97 * fit + wobble(rng, plan.n, 0.005))
    return extras(run.need("loss", "val_loss", "val_r2"), rng)


@family("unfinished")
def stopped_after_a_few_epochs(rng: Rng, variant: int) -> Run:
    """A classifier stopped after five to fifteen epochs with loss and accuracy of both sides still improving with every
    epoch (clear: accuracy rises three points and more per epoch at the end; usual: two or three; weak: about one)."""
    plan = epochs(rng, variant, 5 if variant % 3 == 0 else 8, 15, classes=int(rng.choice([10, 100])))
    rate = by(variant, 1.0, 1.6, 3.0)
    loss = noisy(rng, falls(plan.x, 0.9 * plan.start, 0.25 * plan.start, rate), 0.004)
    val = noisy(rng, falls(plan.x, 0.86 * plan.start, 0.27 * plan.start, rate), 0.008)
    run = Run(plan, advice("unfinished")).add("loss", loss).add("val_loss", val)
    run.add("acc", measured(rng, accuracy(loss, plan.classes), 50000))
    run.add("val_acc", measured(rng, accuracy(val, plan.classes), 10000))
    return extras(run.need("loss", "val_loss"), rng)


@family("unfinished")
def budget_ends_on_the_slope(rng: Rng, variant: int) -> Run:
    """A language model at a constant rate ends in full descent, training and validation together (of the whole fall,
    the last third still brings: clear 25 %, usual 15 %, weak 8 %)."""
    plan = steps(rng, variant, 70, 180, classes=int(rng.choice([8000, 50257])), noise=0.012, passes=0.6)
    rate = by(variant, 0.7, 2.0, 3.3)
    fall = falls(plan.x, 1.0, 0.0, rate) / (1.0 - np.exp(-rate)) - np.exp(-rate) / (1.0 - np.exp(-rate))
    bottom = between(rng, 0.45, 0.55) * plan.start
    loss = bottom + (plan.start - bottom) * fall
    run = Run(plan, advice("unfinished")).add("loss", noisy(rng, loss, 0.01))
    run.add("val_loss", noisy(rng, loss * 1.01, 0.003))
    return extras(run.need("loss", "val_loss"), rng)


@family("one-class")
def all_negative(rng: Rng, variant: int) -> Run:
    """A rare-event detector that says no to everything: accuracy equals the share of the common class from the first
    evaluation, F1 and recall are zero (clear: exactly, share 0.97; usual: share 0.9; weak: share 0.8, with a handful
    of positives, F1 up to 0.02). The loss falls to the entropy of the labels."""
    plan = epochs(rng, variant, 12, 40, classes=2)
    share = by(variant, 0.97, 0.9, 0.8)
    floor = -share * np.log(share) - (1 - share) * np.log(1 - share)
    loss = noisy(rng, falls(plan.x, min(0.69, 1.8 * floor), floor, 15.0), 0.004)
    few = np.abs(rng.normal(0.0, 0.008, plan.n)) * (variant % 3 == 2)
    run = Run(plan, sick("one-class")).add("loss", loss).add("val_loss", noisy(rng, loss * 1.01, 0.004))
    run.add("val_acc", np.full(plan.n, share) - np.round(few * 0.1, 4)).add("val_f1", few)
    if rng.random() < 0.5:
        run.add("val_recall", few / 2)
    return run.need("val_acc", "val_f1")


@family("one-class")
def falls_back_to_the_majority(rng: Rng, variant: int) -> Run:
    """A fine-tuned text classifier learns, then collapses within an evaluation or two: accuracy is the majority share
    to the last digit, F1 of the rarer class zero, the loss back at the entropy of the labels (clear: from a third
    of the run; usual: from two thirds; weak: for the last five evaluations)."""
    plan = epochs(rng, variant, 18, 40, task="classes", classes=2)
    share = between(rng, 0.6, 0.75)
    row = by(variant, plan.row(0.35), plan.row(0.65), plan.n - 5)
    after = np.arange(plan.n) >= row
    entropy = -share * np.log(share) - (1 - share) * np.log(1 - share)
    loss = np.where(after, entropy * 1.01, falls(plan.x, 0.65, 0.3, 8.0))
    good = 0.9 - (0.9 - share) * np.exp(-8.0 * plan.x)
    truth = sick("one-class", row, 2, ("diverging",))
    run = Run(plan, truth).add("loss", noisy(rng, loss, 0.006)).add("val_loss", noisy(rng, loss * 1.02, 0.008))
    run.add("val_acc", np.where(after, np.round(share, 4), measured(rng, good, 2000)))
    run.add("val_f1", np.where(after, 0.0, good - 0.06 + wobble(rng, plan.n, 0.008)))
    return run.need("loss", "val_acc", "val_f1")
