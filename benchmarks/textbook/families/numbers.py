"""Numbers that stop being numbers: NaN, Inf, zero after a blow-up, mixed precision that fails."""

from __future__ import annotations

import numpy as np

from ..curves import Rng, add_company, between, good_course, healthy_grad, logwise, noisy, plan, val_noisy, wobble
from ..model import Run, family, sick


@family("non-finite")
def nan_sudden(rng: Rng, k: int) -> Run:
    """An ordinary falling loss is NaN from one row to the next and stays NaN; nothing grew before."""
    p = plan(rng, k, epochs=(14, 150))
    onset = p.row(between(rng, 0.25, 0.85))
    clean = good_course(rng, p)
    loss = noisy(rng, p, clean)
    loss[onset:] = np.nan
    run = Run(p, sick("non-finite", onset, 1)).add("loss", loss)
    if rng.random() < 0.5:
        val = val_noisy(rng, p, clean * 1.05)
        val[onset:] = np.nan
        run.add("val_loss", val)
    if rng.random() < 0.4:
        grad = healthy_grad(rng, p)
        grad[onset:] = np.nan
        run.add("grad_norm", grad)
    return add_company(rng, run.need("loss"), "lr", share=0.5)


@family("non-finite")
def nan_first_steps(rng: Rng, k: int) -> Run:
    """The loss multiplies in the first few rows (2.3, 58, 19822) and is NaN from then on."""
    p = plan(rng, k, units=("step", "epoch"), epochs=(6, 40), rows=(12, 200), total=(20, 2000))
    loss = np.full(p.n, np.nan)
    alive = int(rng.integers(3, 6))
    exponents = np.cumsum(np.concatenate([[0.0], rng.uniform(0.9, 3.0, alive - 1)]))
    loss[:alive] = p.start * 10**exponents
    run = Run(p, sick("non-finite", alive, alive, accepted=("diverging",))).add("loss", loss)
    if rng.random() < 0.5:
        run.add("val_loss", np.full(p.n, np.nan))
    return add_company(rng, run.need("loss"), "lr", share=0.4)


@family("non-finite")
def inf_loss(rng: Rng, k: int) -> Run:
    """The loss is Inf from some row on (an overflow, a logarithm of zero), out of an ordinary course; later rows
    are Inf or NaN."""
    p = plan(rng, k, epochs=(14, 150))
    onset = p.row(between(rng, 0.1, 0.8))
    loss = noisy(rng, p, good_course(rng, p))
    loss[onset:] = np.inf
    if k % 3 == 2:
        loss[min(onset + 2, p.n - 1) :] = np.nan
    run = Run(p, sick("non-finite", onset, 1)).add("loss", loss)
    return add_company(rng, run.need("loss"), "lr", share=0.5)


@family("non-finite")
def zero_after_blow_up(rng: Rng, k: int) -> Run:
    """The loss jumps to tens of millions, then reads exactly 0.0 for ever while every evaluation loss is NaN (and the
    gradient norm, where logged, too)."""
    p = plan(rng, k, units=("step",), tasks=("classes", "language"), rows=(40, 400), total=(200, 10_000), evals=(5, 12))
    onset = p.row(between(rng, 0.03, 0.3))
    clean = good_course(rng, p)
    loss = noisy(rng, p, clean)
    loss[onset] = logwise(rng, 1e6, 3e8)
    loss[onset + 1 :] = 0.0
    val = val_noisy(rng, p, clean * 1.03)
    val[onset:] = np.nan
    run = Run(p, sick("non-finite", onset, 2, accepted=("precision-lost",))).add("loss", loss).add("val_loss", val)
    if rng.random() < 0.6:
        grad = healthy_grad(rng, p)
        grad[onset:] = np.nan
        run.add("grad_norm", grad)
    return add_company(rng, run.need("loss", "val_loss"), "lr", share=0.7)


def _overflow(scale: float) -> str:
    return f"Gradient overflow.  Skipping step, loss scaler 0 reducing loss scale to {scale}"


@family("precision-lost")
def loss_scale_collapse(rng: Rng, k: int) -> Run:
    """The loss scale halves again and again from 65536 towards 0 (far below 1) with steps skipped each time; at
    the end the loss is often NaN."""
    p = plan(rng, k, units=("step",), tasks=("classes", "language"), rows=(60, 500))
    onset = p.row(between(rng, 0.2, 0.6))
    length = int(np.clip((p.n - onset) * between(rng, 0.4, 0.8), 6, p.n))
    bits = between(rng, 22, 40) * np.clip((np.arange(p.n) - onset) / length, 0, 1)
    scale = 65536.0 * 2.0 ** -np.floor(bits)
    loss = noisy(rng, p, good_course(rng, p))
    dead = onset + length
    if k % 3 != 1 and dead < p.n:
        loss[dead:] = np.nan
    run = Run(p, sick("precision-lost", onset, max(3, p.n // 10)))
    run.add("loss", loss).add("loss_scale", scale).add("skipped", np.floor(bits))
    lower = np.flatnonzero(np.diff(scale) < 0) + 1
    run.notes = [(int(row), _overflow(float(scale[row]))) for row in lower]
    return add_company(rng, run.need("loss", "loss_scale"), "lr", share=0.4)


@family("precision-lost")
def steps_skipped_again_and_again(rng: Rng, k: int) -> Run:
    """Overflow after overflow: the loss scale is driven down from 65536 to between 1 and 64 and keeps being halved as
    soon as it is raised; a quarter to a half of all rows report skipped steps; the loss hardly moves after that."""
    p = plan(rng, k, units=("step",), tasks=("classes", "language"), rows=(100, 500))
    onset = p.row(between(rng, 0.1, 0.3))
    power, count = 16.0, 0.0
    scale, skipped = np.empty(p.n), np.empty(p.n)
    notes: list[tuple[int, str]] = []
    low = float(rng.integers(0, 4))
    for row in range(p.n):
        if row >= onset and (power > low + 2 or (power > low and rng.random() < 0.5)):
            power, count = power - 1, count + 1
            notes.append((row, _overflow(2.0**power)))
        elif row >= onset and power < low + 2:
            power += 1
        scale[row], skipped[row] = 2.0 ** max(power, 0), count
    clean = good_course(rng, p)
    clean[onset:] = clean[onset] * (1 - 0.05 * np.linspace(0, 1, p.n - onset))
    run = Run(p, sick("precision-lost", onset, max(3, p.n // 10)), notes=notes)
    run.add("loss", clean * wobble(rng, p.n, p.noise)).add("loss_scale", scale).add("skipped", skipped)
    return run.need("loss", "loss_scale")
