"""What all families of this set share: their own registry, plans, curves and noise."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import numpy as np

from benchmarks.textbook.model import Family, Floats, Maker, Plan, Run

Rng = np.random.Generator
SECOND: dict[str, Family] = {}
_T = TypeVar("_T")


def family(condition: str) -> Callable[[Maker], Maker]:
    """Register a function as a family of this set; its docstring is the definition."""

    def register(make: Maker) -> Maker:
        name = make.__name__.replace("_", "-")
        if name in SECOND:
            raise ValueError(f"two families are named {name}")
        SECOND[name] = Family(name, condition, " ".join((make.__doc__ or "").split()), make)
        return make

    return register


def by(variant: int, clear: _T, usual: _T, weak: _T) -> _T:
    """The value for the severity of a variant: clear, usual, weak in turn."""
    return (clear, usual, weak)[variant % 3]


def between(rng: Rng, low: float, high: float) -> float:
    """A uniform draw as a plain float."""
    return float(rng.uniform(low, high))


def epochs(
    rng: Rng,
    variant: int,
    low: int,
    high: int,
    task: str = "classes",
    classes: int = 10,
    scale: float = 1.0,
    noise: float = 0.008,
    every: int = 1,
) -> Plan:
    """A run logged once per epoch, evaluated every so many epochs."""
    n = int(rng.integers(low, high + 1))
    rows = np.arange(n)
    per = int(rng.choice([63, 98, 157, 196, 391, 625, 782, 1250]))
    evals = rows[every - 1 :: every]
    return Plan("epoch", rows + 1, evals, per, noise, 1.5 * noise, variant % 3, task, classes, scale)


def steps(
    rng: Rng,
    variant: int,
    low: int,
    high: int,
    task: str = "language",
    classes: int = 32000,
    scale: float = 1.0,
    noise: float = 0.02,
    passes: float = 1.0,
    evals: int = 12,
    every: int | None = None,
    begin: int = 0,
) -> Plan:
    """A run logged every few steps for `passes` epochs, with about `evals` evaluations."""
    n = int(rng.integers(low, high + 1))
    gap = every or int(rng.choice([10, 20, 50, 100]))
    at = begin + gap * (np.arange(n) + 1)
    per = max(2, int(np.ceil((int(at[-1]) - begin) / passes)))
    stride = max(2, n // evals)
    places = np.arange(stride - 1, n, stride)
    return Plan("step", at, places, per, noise, 0.3 * noise, variant % 3, task, classes, scale)


def wobble(rng: Rng, n: int, sd: float, rho: float = 0.0) -> Floats:
    """Gaussian noise with memory `rho` from row to row and standard deviation `sd`."""
    out = rng.normal(0.0, sd, n)
    for i in range(1, n):
        out[i] = rho * out[i - 1] + np.sqrt(1.0 - rho * rho) * out[i]
    return out


def falls(x: Floats, start: float, end: float, rate: float) -> Floats:
    """Exponential approach from `start` to `end`."""
    return end + (start - end) * np.exp(-rate * x)


def power(x: Floats, start: float, end: float, knee: float = 0.02, exponent: float = 0.6) -> Floats:
    """A power law from `start` at x = 0 to `end` at x = 1: steep first, then ever slower."""
    shape = (1.0 + x / knee) ** -exponent
    last = (1.0 + 1.0 / knee) ** -exponent
    return np.asarray(end + (start - end) * (shape - last) / (1.0 - last), dtype=float)


def grown(x: Floats, since: float) -> Floats:
    """0 before `since`, then growing linearly to 1 at the end."""
    return np.clip((x - since) / (1.0 - since), 0.0, 1.0)


def noisy(rng: Rng, values: Floats, sd: float, rho: float = 0.0) -> Floats:
    """Values with noise in proportion to them."""
    return values * np.exp(wobble(rng, len(values), sd, rho))


def accuracy(loss: Floats, classes: int) -> Floats:
    """A plausible accuracy for a cross-entropy: chance at ln(classes), 1 at zero."""
    top = float(np.log(classes))
    share: Floats = np.asarray(np.exp(-loss * np.clip(loss / top, 0.0, None) ** 0.8), dtype=float)
    return share


def measured(rng: Rng, share: Floats, size: int) -> Floats:
    """A share counted on `size` examples."""
    return rng.binomial(size, np.clip(share, 0.0, 1.0)) / size


def cosine(x: Floats, peak: float, end: float = 0.0, warm: float = 0.0) -> Floats:
    """A cosine schedule, with linear warm-up over the first share `warm`."""
    down = end + (peak - end) * 0.5 * (1.0 + np.cos(np.pi * np.clip((x - warm) / (1.0 - warm), 0.0, 1.0)))
    return np.where(x < warm, peak * np.clip(x / max(warm, 1e-9), 0.02, 1.0), down)


def paced(rate: Floats) -> Floats:
    """Progress from 0 to 1 at the pace of the learning rate: it ends where the rate ends."""
    total = np.cumsum(rate)
    return np.asarray((total - total[0]) / (total[-1] - total[0]), dtype=float)


def extras(run: Run, rng: Rng, shape: str = "constant", peak: float | None = None, grad: bool = True) -> Run:
    """Add, by chance, columns in which nothing is to be seen: a schedule, a quiet gradient norm."""
    plan = run.plan
    top = peak or float(rng.choice([1e-1, 1e-2, 3e-3, 1e-3, 3e-4, 5e-5]))
    if "lr" not in run.columns and rng.random() < 0.55:
        if shape == "cosine":
            run.add("lr", cosine(plan.x, top, end=0.01 * top))
        elif shape == "linear":
            run.add("lr", top * (1.0 - plan.x * (plan.n - 1) / plan.n))
        else:
            run.add("lr", np.full(plan.n, top))
    if grad and "grad_norm" not in run.columns and rng.random() < 0.4:
        level = between(rng, 0.3, 4.0)
        run.add("grad_norm", noisy(rng, level * (1.0 - 0.3 * plan.x), 0.15, 0.3))
    return run
