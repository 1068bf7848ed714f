"""The building blocks of curves: plans, courses, noise, accuracies that fit a loss, and harmless company columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import numpy as np

from .model import Floats, Ints, Plan, Run

Rng = np.random.Generator
T = TypeVar("T")
INTERVALS = (1, 2, 5, 10, 20, 25, 50, 100, 200, 500)


def between(rng: Rng, low: float, high: float) -> float:
    """A uniform number."""
    return float(rng.uniform(low, high))


def logwise(rng: Rng, low: float, high: float) -> float:
    """A number uniform in its logarithm."""
    return float(np.exp(rng.uniform(np.log(low), np.log(high))))


def one_of(rng: Rng, choices: Sequence[T]) -> T:
    """One of the choices, all equally likely."""
    return choices[int(rng.integers(len(choices)))]


def _step_axis(rng: Rng, rows: tuple[int, int], total: tuple[int, int]) -> Ints:
    """Logged steps: a total between the limits and a usual interval that gives a number of rows between the
    limits."""
    steps = logwise(rng, *total)
    fit = [i for i in INTERVALS if rows[0] <= steps / i <= rows[1]]
    every = one_of(rng, fit) if fit else max(1, round(steps / rows[1]))
    count = max(int(steps / every), min(rows[0], 12))
    return np.arange(1, count + 1) * every


def plan(
    rng: Rng,
    k: int,
    *,
    units: Sequence[str] = ("epoch", "step"),
    tasks: Sequence[str] = ("classes", "regression", "language"),
    classes: Sequence[int] = (2, 4, 10, 10, 20, 100, 1000),
    epochs: tuple[int, int] = (14, 200),
    rows: tuple[int, int] = (90, 1000),
    total: tuple[int, int] = (200, 50_000),
    evals: tuple[int, int] = (10, 40),
    epochs_per_run: tuple[int, int] = (1, 30),
    scales: tuple[float, float] = (1e-6, 1e6),
) -> Plan:
    """Draw a plan; the variant number k spreads units and hardness evenly, the rest is drawn."""
    unit = units[k % len(units)]
    hard = (k // 2) % 3
    task = one_of(rng, tasks)
    if unit == "epoch":
        n = round(logwise(rng, *epochs))
        at = np.arange(1, n + 1)
        at_evals = np.arange(n)
        per_epoch = int(rng.integers(20, 1500))
        noise = (0.003, 0.008, 0.018)[hard] * between(rng, 0.7, 1.3)
    else:
        at = _step_axis(rng, rows, total)
        count = min(int(rng.integers(evals[0], evals[1] + 1)), len(at))
        at_evals = np.unique(np.linspace(len(at) / count, len(at), count).round().astype(int) - 1)
        per_epoch = max(1, int(at[-1] // int(rng.integers(epochs_per_run[0], epochs_per_run[1] + 1))))
        noise = (0.015, 0.035, 0.075)[hard] * between(rng, 0.7, 1.3)
    count_classes = int(one_of(rng, classes)) if task == "classes" else int(one_of(rng, (65, 32_000, 50_257)))
    scale = 1.0
    if task == "regression":
        count_classes = 2
        scale = between(rng, 0.5, 5.0) if rng.random() < 0.4 else logwise(rng, *scales)
    val_noise = (0.003, 0.006, 0.012)[hard] * between(rng, 0.7, 1.3)
    return Plan(unit, at, at_evals, per_epoch, noise, val_noise, hard, task, count_classes, scale)


def wobble(rng: Rng, n: int, sigma: float, memory: float = 0.2) -> Floats:
    """Factors around 1: noise of the given relative size with a little memory from row to row."""
    white = rng.normal(0.0, sigma * np.sqrt(1 - memory**2), n)
    out = np.empty(n)
    last = rng.normal(0.0, sigma)
    for i, shock in enumerate(white):
        last = memory * last + shock
        out[i] = last
    return np.maximum(1.0 + out, 0.05)


def fall(x: Floats, start: float, end: float, tau: float, power: float | None = None) -> Floats:
    """A falling course from start (x = 0) to end (x = 1): exponential, or a power law if a power is given."""
    shape = np.exp(-x / tau) if power is None else (1.0 + x / tau) ** -power
    out: Floats = end + (start - end) * (shape - shape[-1]) / (shape[0] - shape[-1])
    return out


def floor_share(rng: Rng, p: Plan) -> float:
    """What share of the starting loss a good run keeps at its end, by task."""
    if p.task == "classes":
        return between(rng, 0.04, 0.22)
    if p.task == "language":
        return between(rng, 0.27, 0.38)
    return between(rng, 0.02, 0.12)


def good_course(rng: Rng, p: Plan, floor: float | None = None) -> Floats:
    """The clean course of a run that learns and settles: fast first, flat over the last third."""
    end = floor_share(rng, p) * p.start if floor is None else floor
    top = p.start * between(rng, 1.0, 1.08) * (0.9 if p.unit == "epoch" else 1.0)
    return fall(p.x, top, end, between(rng, 0.05, 0.1))


def noisy(rng: Rng, p: Plan, clean: Floats) -> Floats:
    """Training noise on a clean course."""
    return clean * wobble(rng, p.n, p.noise)


def val_noisy(rng: Rng, p: Plan, clean: Floats) -> Floats:
    """Evaluation noise on a clean course."""
    return clean * wobble(rng, p.n, p.val_noise, 0.1)


def acc_for(clean: Floats, start: float, end: float, low: float, high: float, bend: float = 1.3) -> Floats:
    """An accuracy that rises from low to high as the loss falls from start to end."""
    share = np.clip((clean - end) / (start - end), 0.0, 1.0)
    return high - (high - low) * share**bend


def rounded(values: Floats) -> Floats:
    """Values with four decimals, as most programs log a measure."""
    return np.asarray(np.round(values, 4), dtype=np.float64)


def acc_noise(rng: Rng, p: Plan, acc: Floats, size: float = 0.006) -> Floats:
    """Sampling noise on an accuracy, smaller near 0 and 1, rounded as by a finite set."""
    spread = size * (1 + p.hard) * np.sqrt(np.clip(acc * (1 - acc) * 4, 0.02, 1.0))
    return rounded(np.clip(acc + rng.normal(0.0, 1.0, len(acc)) * spread, 0.0, 0.9999))


def healthy_grad(rng: Rng, p: Plan) -> Floats:
    """The gradient norm of a sound run: some level, slow drift, ordinary scatter."""
    level = logwise(rng, 0.2, 5.0)
    drift = 1.0 + between(rng, -0.3, 0.5) * p.x
    return level * drift * np.exp(rng.normal(0.0, between(rng, 0.08, 0.2), p.n))


def cosine(rng: Rng, p: Plan, warm: float = 0.05) -> Floats:
    """The usual schedule: linear warm-up, then half a cosine to a few per cent of the peak."""
    peak = one_of(rng, (1e-4, 2e-4, 3e-4, 6e-4, 1e-3, 5e-5))
    rest = np.clip((p.x - warm) / (1 - warm), 0, 1)
    down = 0.05 + 0.95 * 0.5 * (1 + np.cos(np.pi * rest))
    return peak * np.where(p.x < warm, (p.x + 1 / p.n) / (warm + 1 / p.n), down)


def constant_lr(rng: Rng, p: Plan) -> Floats:
    """The same ordinary learning rate in all rows."""
    return np.full(p.n, one_of(rng, (1e-4, 3e-4, 1e-3, 5e-4, 0.01, 2e-5)))


def add_company(rng: Rng, run: Run, *kinds: str, share: float = 0.5) -> Run:
    """Add columns that mean nothing for the label, each with the given probability."""
    p = run.plan
    for kind in kinds:
        if rng.random() > share or kind in run.columns:
            continue
        if kind == "lr":
            run.add("lr", constant_lr(rng, p))
        elif kind == "cosine":
            run.add("lr", cosine(rng, p))
        elif kind == "grad_norm":
            run.add("grad_norm", healthy_grad(rng, p))
        elif kind == "times":
            step = logwise(rng, 0.03, 1.5)
            run.add("batch_time", step * wobble(rng, p.n, 0.03))
            run.add("data_time", step * between(rng, 0.01, 0.06) * wobble(rng, p.n, 0.15))
        elif kind == "memory":
            run.add("memory", np.full(p.n, round(between(rng, 2000, 30000), 1)))
    return run


def add_accuracies(
    rng: Rng, run: Run, clean: Floats, low: float, high: float, val_high: float | None = None, share: float = 1.0
) -> Run:
    """Add training (and evaluation) accuracies that fit a falling loss; only where the task has classes."""
    if run.plan.task != "classes" or rng.random() > share:
        return run
    p = run.plan
    run.add("acc", acc_noise(rng, p, acc_for(clean, clean[0], clean[-1], low, high)))
    if val_high is not None:
        run.add("val_acc", acc_noise(rng, p, acc_for(clean, clean[0], clean[-1], low, val_high), 0.004))
    return run
