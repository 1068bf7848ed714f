"""Overfitting in its textbook forms, and double descent."""

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
    one_of,
    plan,
    val_noisy,
)
from ..model import Floats, Plan, Run, advice, family, sick


def turning(p: Plan, top: float, best: float, turn: float, rise: float, bend: float = 1.2) -> Floats:
    """A course that falls to its best at `turn` and then rises by the share `rise` of its best until the end."""
    down = fall(np.clip(p.x / turn, 0, 1), top, best, 0.35) if turn > 0 else np.full(p.n, best)
    down = np.where(p.x < turn, np.interp(p.x, p.x, best + (top - best) * (1 - np.clip(p.x / turn, 0, 1)) ** 2.2), best)
    return down * (1 + rise * np.clip((p.x - turn) / (1 - turn), 0, None) ** bend)


@family("overfitting")
def overfit_val_loss_up(rng: Rng, k: int) -> Run:
    """Validation loss falls, reaches a minimum in the first half, then rises by 25 to 150 per cent until the end
    while the training loss goes on falling far below it."""
    p = plan(rng, k, epochs=(16, 200), evals=(14, 40))
    turn = between(rng, 0.2, 0.5)
    best = p.start * between(rng, 0.35, 0.6)
    rise = (between(rng, 0.8, 1.5), between(rng, 0.45, 0.8), between(rng, 0.25, 0.45))[p.hard]
    train = fall(p.x, p.start, best * between(rng, 0.04, 0.35), between(rng, 0.25, 0.4))
    run = Run(p, sick("overfitting", p.row(turn), max(2, p.n // 7)))
    run.add("loss", noisy(rng, p, train)).add("val_loss", val_noisy(rng, p, turning(p, p.start, best, turn, rise)))
    return add_company(rng, run.need("loss", "val_loss"), "lr", "grad_norm", share=0.4)


@family("overfitting")
def overfit_confident(rng: Rng, k: int) -> Run:
    """Training accuracy goes to about 99 per cent, validation accuracy stalls, and validation loss ends 50 to 90 per
    cent above its minimum: the model grows ever surer of its mistakes."""
    p = plan(rng, k, tasks=("classes",), classes=(4, 10, 20, 100), epochs=(20, 150), evals=(15, 40))
    turn = between(rng, 0.18, 0.35)
    best = p.start * between(rng, 0.35, 0.55)
    train = fall(p.x, p.start, 0.02 * p.start, between(rng, 0.18, 0.28))
    stall = between(rng, 0.58, 0.8)
    rising = p.chance + (stall - p.chance) * (1 - (1 - np.clip(p.x / (turn * 1.3), 0, 1)) ** 2)
    run = Run(p, sick("overfitting", p.row(turn), max(2, p.n // 7)))
    run.add("loss", noisy(rng, p, train))
    run.add("val_loss", val_noisy(rng, p, turning(p, p.start, best, turn, between(rng, 0.5, 0.9))))
    run.add("acc", acc_noise(rng, p, acc_for(train, train[0], train[-1], p.chance, between(rng, 0.985, 0.999))))
    run.add("val_acc", acc_noise(rng, p, rising, 0.004))
    return run.need("loss", "val_loss")


@family("overfitting")
def overfit_accuracy_gap(rng: Rng, k: int) -> Run:
    """Accuracies only: both rise together at first, then training goes on to 99 per cent or more while validation
    stalls or sinks a little, 20 to 40 points behind."""
    p = plan(rng, k, tasks=("classes",), classes=(4, 10, 20, 100), epochs=(20, 150), evals=(15, 40))
    turn = between(rng, 0.2, 0.35)
    train = p.chance + (between(rng, 0.985, 0.999) - p.chance) * (1 - np.exp(-p.x / between(rng, 0.18, 0.25)))
    level = float(np.interp(turn, p.x, train)) * between(rng, 0.9, 0.97)
    level = min(level, 0.78)
    val = np.minimum(train * 0.98, level) - between(rng, 0.0, 0.04) * np.clip((p.x - turn) / (1 - turn), 0, 1)
    run = Run(p, sick("overfitting", p.row(turn), max(2, p.n // 6)))
    run.add("acc", acc_noise(rng, p, train)).add("val_acc", acc_noise(rng, p, val, 0.004))
    return run.need("acc", "val_acc")


@family("overfitting")
def overfit_mild(rng: Rng, k: int) -> Run:
    """A mild case: over the last eight evaluations validation loss climbs steadily by about 15 per cent from its
    minimum while training loss keeps falling at its old pace."""
    p = plan(rng, k, epochs=(16, 26), evals=(16, 26))
    best_at = len(p.evals) - 9
    turn = float(p.x[p.evals[best_at]])
    best = p.start * between(rng, 0.4, 0.6)
    clean = turning(p, p.start, best, turn, between(rng, 0.13, 0.18), 1.0)
    train = fall(p.x, p.start, best * between(rng, 0.35, 0.6), between(rng, 0.4, 0.7))
    val = clean * (1 + rng.normal(0, 0.004 + 0.002 * p.hard, p.n))
    run = Run(p, sick("overfitting", int(p.evals[best_at]), max(2, 2 * p.n // len(p.evals))))
    run.add("loss", noisy(rng, p, train)).add("val_loss", val)
    return add_company(rng, run.need("loss", "val_loss"), "lr", share=0.3)


@family("overfitting")
def overfit_metric(rng: Rng, k: int) -> Run:
    """Overfitting seen in the task's own measure: validation F1 or BLEU passes its best and falls, or word error rate
    or perplexity passes its best and rises, while training loss goes on falling."""
    p = plan(rng, k, tasks=("classes",), classes=(10, 100, 1000), epochs=(16, 100), evals=(14, 40))
    turn = between(rng, 0.25, 0.5)
    metric = ("f1", "wer", "bleu", "ppl")[k % 4] if k % 2 == 0 else one_of(rng, ("wer", "bleu", "ppl", "f1"))
    up = 1 - (1 - np.clip(p.x / turn, 0, 1)) ** 2.2
    after = np.clip((p.x - turn) / (1 - turn), 0, None)
    rise = (between(rng, 0.45, 0.8), between(rng, 0.3, 0.5), between(rng, 0.22, 0.32))[p.hard]
    if metric == "wer":
        value = 0.95 - 0.72 * up + 0.23 * rise * after
    elif metric == "ppl":
        value = np.exp(np.log(900.0) - np.log(900.0 / 38.0) * up + rise * after)
    elif metric == "bleu":
        value = 2.0 + 27.0 * up - 27.0 * 0.45 * rise * after
    else:
        value = 0.2 + 0.62 * up - 0.62 * 0.45 * rise * after
    train = fall(p.x, p.start, p.start * between(rng, 0.02, 0.12), between(rng, 0.25, 0.4))
    run = Run(p, sick("overfitting", p.row(turn), max(2, p.n // 7)))
    run.add("loss", noisy(rng, p, train)).add(f"val_{metric}", val_noisy(rng, p, value))
    return run.need("loss", f"val_{metric}")


def _two_descents(rng: Rng, p: Plan, top: float, first: float, peak: float, last: float) -> tuple[Floats, float, float]:
    """Falls to `first`, rises to `peak`, falls to `last` and stays."""
    low_at, peak_at = between(rng, 0.1, 0.18), between(rng, 0.32, 0.45)
    end_at = between(rng, 0.78, 0.92)
    knots = [0.0, low_at / 3, low_at, (low_at + peak_at) / 2, peak_at, (peak_at + end_at) / 2, end_at, 1.0]
    middle = (first + peak) / 2
    heights = [top, first + (top - first) * 0.25, first, middle, peak, last + (peak - last) * 0.3, last, last]
    fine = np.interp(p.x, knots, heights)
    width = max(1, p.n // 25)
    padded = np.pad(fine, width, mode="edge")
    return np.convolve(padded, np.ones(2 * width + 1) / (2 * width + 1), "valid"), low_at, peak_at


@family("double-descent")
def double_descent_loss(rng: Rng, k: int) -> Run:
    """Validation loss falls to a first minimum, rises by 30 to 80 per cent to a peak, then falls again to or
    below the first minimum and stays there; training loss falls all the way."""
    p = plan(rng, k, epochs=(70, 200), evals=(35, 60))
    first = p.start * between(rng, 0.4, 0.55)
    clean, low_at, _ = _two_descents(
        rng, p, p.start, first, first * between(rng, 1.3, 1.8), first * between(rng, 0.7, 0.92)
    )
    train = fall(p.x, p.start, p.start * between(rng, 0.01, 0.05), between(rng, 0.15, 0.25))
    run = Run(p, advice("double-descent", p.row(low_at), max(3, p.n // 6)))
    run.add("loss", noisy(rng, p, train)).add("val_loss", val_noisy(rng, p, clean))
    return run.need("loss", "val_loss")


@family("double-descent")
def double_descent_accuracy(rng: Rng, k: int) -> Run:
    """The same in test accuracy with noisy labels: it rises, sinks by 8 to 18 points while training accuracy passes
    through the fitting threshold, then rises again above its first best."""
    p = plan(rng, k, tasks=("classes",), classes=(10, 20, 100), epochs=(70, 200), evals=(35, 60))
    first = between(rng, 0.55, 0.7)
    clean, low_at, _ = _two_descents(
        rng, p, p.chance * 1.5, first, first - between(rng, 0.09, 0.18), first + between(rng, 0.02, 0.1)
    )
    train = p.chance + (0.995 - p.chance) * (1 - np.exp(-p.x / between(rng, 0.15, 0.22)))
    run = Run(p, advice("double-descent", p.row(low_at), max(3, p.n // 6)))
    run.add("acc", acc_noise(rng, p, train)).add("val_acc", acc_noise(rng, p, clean, 0.003))
    return run.need("acc", "val_acc")
