"""Runs that stay at a poor level: underfitting, plateau, not learning, learning far too slowly, one class only."""

from __future__ import annotations

import numpy as np

from ..curves import (
    Rng,
    acc_noise,
    add_company,
    between,
    constant_lr,
    fall,
    healthy_grad,
    noisy,
    one_of,
    plan,
    rounded,
    val_noisy,
    wobble,
)
from ..model import Run, family, sick


@family("underfitting")
def underfit_both_flat(rng: Rng, k: int) -> Run:
    """Training and validation loss settle close together in the first quarter at a poor level and stay flat; both
    accuracies settle far below what is useful (well above chance, far from solved)."""
    p = plan(rng, k, tasks=("classes",), classes=(10, 10, 20, 100), epochs=(20, 200))
    end = p.start * between(rng, 0.66, 0.82)
    clean = fall(p.x, p.start, end, between(rng, 0.04, 0.07))
    good = between(rng, 0.24, 0.4)
    acc = good - (good - p.chance) * (clean - end) / (p.start - end)
    run = Run(p, sick("underfitting"))
    run.add("loss", noisy(rng, p, clean)).add("val_loss", val_noisy(rng, p, clean * between(rng, 1.0, 1.03)))
    run.add("acc", acc_noise(rng, p, acc)).add("val_acc", acc_noise(rng, p, acc * between(rng, 0.96, 1.0), 0.004))
    return add_company(rng, run.need("loss", "acc"), "lr", share=0.4)


@family("underfitting")
def underfit_training_alone(rng: Rng, k: int) -> Run:
    """Training alone against a known scale: the model settles early at an explained variance (R2) of 0.1 to 0.3 or at
    an accuracy of 0.58 to 0.66 on two classes, and stays."""
    two = k % 4 >= 2
    p = plan(rng, k, tasks=("classes",) if two else ("regression",), classes=(2,), epochs=(20, 150), scales=(1e-3, 1e3))
    if two:
        end, good, name, low = p.start * between(rng, 0.91, 0.95), between(rng, 0.58, 0.66), "acc", 0.5
    else:
        good, name, low = between(rng, 0.1, 0.3), "r2", 0.0
        end = p.start * (1 - good)
    clean = fall(p.x, p.start, end, between(rng, 0.04, 0.07))
    metric = good - (good - low) * (clean - end) / (p.start - end)
    run = Run(p, sick("underfitting", accepted=("plateau",)))
    run.add("loss", clean * wobble(rng, p.n, min(p.noise, 0.012)))
    metric = acc_noise(rng, p, metric) if two else np.round(metric + rng.normal(0, 0.006, p.n), 4)
    run.add(name, metric)
    return run.need("loss", name)


@family("plateau")
def plateau_after_progress(rng: Rng, k: int) -> Run:
    """Real progress over the first fifth to third, then the loss stops abruptly at half to three quarters of its
    start and does not move again, with an unchanged learning rate and (where logged) a healthy gradient."""
    p = plan(rng, k, tasks=("classes",), classes=(10, 20, 100, 1000), epochs=(30, 200))
    stop = between(rng, 0.18, 0.33)
    end = p.start * between(rng, 0.5, 0.72)
    clean = end + (p.start - end) * (1 - np.clip(p.x / stop, 0, 1)) ** 1.15
    run = Run(p, sick("plateau", p.row(stop), max(2, p.n // 8), accepted=("underfitting",)))
    run.add("loss", noisy(rng, p, clean))
    if rng.random() < 0.6:
        run.add("lr", constant_lr(rng, p))
    if rng.random() < 0.4:
        run.add("grad_norm", healthy_grad(rng, p))
    return run.need("loss")


@family("plateau")
def plateau_unigram(rng: Rng, k: int) -> Run:
    """A language model falls from ln(vocabulary) to the level of word frequencies alone (about 7.0 to 7.6) in the
    first tenth and stays there for the rest; validation does the same."""
    p = plan(rng, k, tasks=("language",), epochs=(30, 120), evals=(12, 40))
    start = between(rng, 10.4, 10.9)
    end = between(rng, 6.9, 7.6)
    clean = end + (start - end) * np.exp(-p.x / between(rng, 0.015, 0.035))
    run = Run(p, sick("plateau", p.row(0.1), max(2, p.n // 10), accepted=("underfitting",)))
    run.add("loss", clean * wobble(rng, p.n, min(p.noise, 0.02)))
    if rng.random() < 0.7:
        run.add("val_loss", val_noisy(rng, p, clean * 1.003))
    return add_company(rng, run.need("loss"), "lr", "grad_norm", share=0.6)


@family("not-learning")
def not_learning_ln_classes(rng: Rng, k: int) -> Run:
    """The loss starts at ln(classes) and stays there from the first row to the last; accuracy, where logged, is at
    1/classes."""
    p = plan(rng, k, tasks=("classes",), epochs=(12, 200))
    quiet = min(p.noise, 0.015) * 0.4
    run = Run(p, sick("not-learning", 0))
    run.add("loss", p.start * (1 + 0.02 * np.exp(-p.x / 0.01)) * wobble(rng, p.n, quiet, 0.0))
    if rng.random() < 0.5:
        run.add("val_loss", p.start * wobble(rng, p.n, quiet * 0.5, 0.0))
    if rng.random() < 0.5:
        spread = 0.15 * p.chance
        run.add("acc", rounded(np.clip(p.chance + rng.normal(0, spread, p.n), 0, 1)))
    return add_company(rng, run.need("loss"), "lr", share=0.5)


@family("not-learning")
def not_learning_accuracy_at_chance(rng: Rng, k: int) -> Run:
    """Only accuracies are logged and both scatter around 1/classes without any trend."""
    p = plan(rng, k, tasks=("classes",), classes=(2, 4, 5, 10, 20), epochs=(14, 120))
    spread = (0.02, 0.035, 0.05)[p.hard] * np.sqrt(p.chance)
    run = Run(p, sick("not-learning", 0))
    run.add("acc", rounded(np.clip(p.chance + rng.normal(0, spread, p.n), 0, 1)))
    run.add("val_acc", rounded(np.clip(p.chance + rng.normal(0, spread * 0.6, p.n), 0, 1)))
    return run.need("acc", "val_acc")


@family("not-learning")
def not_learning_target_variance(rng: Rng, k: int) -> Run:
    """Regression that only ever predicts the mean: the squared error sits at the variance of the targets and the
    explained variance (R2) at 0 from the first row to the last."""
    p = plan(rng, k, tasks=("regression",), epochs=(12, 150))
    run = Run(p, sick("not-learning", 0))
    run.add("loss", p.start * wobble(rng, p.n, min(p.noise, 0.02), 0.0))
    run.add("val_loss", p.start * between(rng, 0.97, 1.03) * wobble(rng, p.n, 0.002, 0.0))
    run.add("val_r2", np.round(rng.normal(-0.002, 0.003, p.n), 4))
    return add_company(rng, run.need("loss", "val_r2"), "lr", share=0.4)


@family("learning-slowly")
def slow_tiny_rate(rng: Rng, k: int) -> Run:
    """The learning rate is constant at 1e-6 or less and the loss sinks along a straight line by only 2 to 6 per
    cent of its start over the whole run, steadily and clearly beyond its noise."""
    p = plan(rng, k, tasks=("classes", "regression"), classes=(10, 100, 1000), epochs=(20, 200), rows=(150, 1000))
    drop = between(rng, 0.025, 0.06)
    quiet = 0.04 * drop if p.unit == "epoch" else 0.25 * drop * (1 + 0.5 * p.hard)
    run = Run(p, sick("learning-slowly", 0, max(3, p.n // 5)))
    run.add("loss", p.start * (1 - drop * p.x) * wobble(rng, p.n, quiet, 0.0))
    if rng.random() < 0.5:
        run.add("val_loss", p.start * 1.002 * (1 - drop * p.x) * wobble(rng, p.n, quiet * 0.3, 0.0))
    run.add("lr", np.full(p.n, one_of(rng, (1e-6, 1e-6, 5e-7, 1e-7))))
    return run.need("loss", "lr")


@family("learning-slowly")
def slow_crawl(rng: Rng, k: int) -> Run:
    """No learning rate in the log: loss creeps down in a straight line, 4 to 9 per cent over the whole run,
    accuracy (if any) only a little above chance at the end."""
    p = plan(rng, k, tasks=("classes",), classes=(10, 20, 100), epochs=(30, 200), rows=(150, 1000))
    drop = between(rng, 0.04, 0.09)
    quiet = 0.03 * drop if p.unit == "epoch" else 0.2 * drop * (1 + 0.5 * p.hard)
    run = Run(p, sick("learning-slowly", 0, max(3, p.n // 5)))
    run.add("loss", p.start * (1 - drop * p.x) * wobble(rng, p.n, quiet, 0.0))
    run.add("val_loss", p.start * (1.001 - drop * p.x) * wobble(rng, p.n, quiet * 0.3, 0.0))
    if rng.random() < 0.6:
        acc = p.chance * (1 + between(rng, 0.4, 0.8) * p.x)
        run.add("val_acc", rounded(acc + rng.normal(0, 0.04 * p.chance, p.n)))
    return run.need("loss", "val_loss")


@family("one-class")
def one_class_f1_zero(rng: Rng, k: int) -> Run:
    """Two unbalanced classes: validation accuracy is constant at the majority's share from the first evaluations on,
    F1 and recall of the rare class are 0, and the loss settles at the entropy of the shares."""
    p = plan(rng, k, tasks=("classes",), classes=(2,), epochs=(12, 100))
    share = round(between(rng, 0.7, 0.985), 4)
    entropy = -(share * np.log(share) + (1 - share) * np.log(1 - share))
    clean = fall(p.x, max(p.start, entropy * 1.1), entropy, between(rng, 0.02, 0.05))
    run = Run(p, sick("one-class", 0, max(2, p.n // 10)))
    run.add("loss", clean * wobble(rng, p.n, min(p.noise, 0.02), 0.0))
    run.add("val_loss", val_noisy(rng, p, clean))
    run.add("val_acc", np.full(p.n, share)).add("val_f1", np.zeros(p.n)).add("val_recall", np.zeros(p.n))
    return run.need("val_acc", "val_f1")


@family("one-class")
def one_class_of_many(rng: Rng, k: int) -> Run:
    """Several classes: validation accuracy is constant at the largest class's share, macro recall is exactly
    1/classes and macro F1 what a constant answer gives."""
    p = plan(rng, k, tasks=("classes",), classes=(3, 4, 5, 7, 10), epochs=(12, 100))
    share = round(p.chance * between(rng, 1.5, 2.4), 4)
    rest = (1 - share) / (p.classes - 1)
    entropy = -(share * np.log(share) + (1 - share) * np.log(rest))
    clean = fall(p.x, p.start * 1.03, min(entropy, p.start), between(rng, 0.02, 0.05))
    f1 = 2 * share / (1 + share) / p.classes
    run = Run(p, sick("one-class", 0, max(2, p.n // 10)))
    run.add("loss", clean * wobble(rng, p.n, min(p.noise, 0.015), 0.0))
    run.add("val_acc", np.full(p.n, share)).add("val_f1", np.full(p.n, round(f1, 4)))
    run.add("val_recall", np.full(p.n, round(p.chance, 4)))
    return run.need("val_acc", "val_f1", "val_recall")
