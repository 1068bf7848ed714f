"""Networks that are trained against each other: neither loss says alone how the training goes, both together do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..record import Run
from ..record.types import FloatArray
from ._base import Unless, ramp
from .curve import BLOCKS, adversarial, curve_of, in_bins, once

FEWEST = 100  # steps of each network
ALIVE = 1e-3  # of its earlier norm that a gradient has at least
MOVES = 5.0  # standard errors by which a loss has moved at some time: networks that play


@dataclass(frozen=True)
class Side:
    """One network's loss, by equal stretches of its steps, and the norm of its gradients."""

    first: float
    blocks: FloatArray
    error: float  # the standard error of a stretch's level
    gradients: FloatArray

    @property
    def last(self) -> float:
        return float(np.median(self.blocks[-BLOCKS // 4 :]))

    @property
    def left(self) -> float:
        """The last quarter's loss over the first one; a loss that began below zero has no such measure."""
        return self.last / self.first if self.first > 0 else 1.0

    @property
    def moved(self) -> float:
        return float(np.ptp(self.blocks)) / self.error if self.error > 0 else float(np.inf)

    @property
    def gradient_left(self) -> float:
        """The last quarter's median gradient norm over that of the first quarter."""
        quarter = max(1, len(self.gradients) // 4)
        before = float(np.median(self.gradients[:quarter]))
        return float(np.median(self.gradients[-quarter:])) / before if before > 0 else 1.0


@dataclass(frozen=True)
class Balance:
    """Two networks in their game. `lost`: 0 where neither has won, 1 where one has beyond doubt."""

    sides: tuple[Side, Side]
    lost: float
    both_at_zero: bool
    one_at_zero: bool

    @property
    def moved(self) -> bool:
        """Whether both losses have moved by more than their noise: networks that play."""
        return min(side.moved for side in self.sides) >= MOVES


@once
def balance(run: Run) -> Balance | str:
    """How the game stands; or why that cannot be said."""
    if not adversarial(run) or run.kind != "observed":
        return "no networks were trained against each other"
    if not _plays(run):
        return "the losses do not show which network plays against which"
    sides = _sides(run)
    if sides is None:
        return f"fewer than {FEWEST} steps, or no gradients, of each of two networks were recorded"
    at_zero = [ramp(side.left, 0.05, 0.01, log=True) for side in sides]
    silent = [ramp(side.gradient_left, 1e-2, ALIVE, log=True) for side in sides]
    loses = [max(ramp(side.left, 2.0, 6.0, log=True), silent[k]) for k, side in enumerate(sides)]
    if min(at_zero) > 0:
        lost = max(0.5, 0.85 * min(at_zero))
    else:
        lost = max(at_zero[k] * (0.55 + 0.45 * loses[1 - k]) for k in (0, 1))
    # A gradient that is gone, and a loss that has run away, are a doubt by themselves.
    away = max(ramp(side.left, 10.0, 30.0, log=True) for side in sides)
    return Balance(sides, max(lost, 0.6 * max(*silent, away)), min(at_zero) > 0, max(at_zero) >= 0.5)


def in_balance(run: Run) -> Unless | None:
    """Neither of two adversaries has won: what their losses do otherwise is the game."""
    found = balance(run)
    if isinstance(found, str) or found.lost >= 0.5 or not found.moved:
        return None
    return Unless(1.0, "two networks are trained against each other, and neither has won")


def _plays(run: Run) -> bool:
    """Whether all losses compare scores with constants, which stand for real and fake."""
    wanted = [(call.fn, call.target.min, call.target.max) for call in run.training_losses]
    if len({fn for fn, _, _ in wanted}) != 1:
        return False
    known = [low for _, low, high in wanted if low is not None and low == high]
    return len(known) == len(wanted) > 1 and len(set(known)) > 1


def _sides(run: Run) -> tuple[Side, Side] | None:
    """The two networks: the losses that the first optimizer steps on, and the others."""
    if sum(bool(optimizer.steps) for optimizer in run.optimizers) != 2:
        return None
    main = run.series("loss/train")
    own = {(int(step), float(value)) for step, value in zip(main.steps, main.values, strict=True)}
    groups: tuple[list[str], list[str]] = ([], [])
    for name in run.series_names:
        if name.startswith("loss/train/"):
            series = run.series(name)
            pairs = zip(series.steps[-20:], series.values[-20:], strict=True)
            groups[not all((int(s), float(v)) in own for s, v in pairs)].append(name)
    if not all(groups):
        return None
    first, second = (_side(run, names, norm) for names, norm in zip(groups, ("grad_norm", "grad_norm/1"), strict=True))
    return (first, second) if first is not None and second is not None else None


def _side(run: Run, names: Sequence[str], norm: str) -> Side | None:
    """Real and fake samples may be differentiated one after the other: the network's loss is the sum of both."""
    curves = [curve_of(run.series(name)) for name in names]
    gradients = curve_of(run.series(norm)).values
    if min(len(curve) for curve in curves) < FEWEST or len(gradients) < 8:
        return None
    blocks = np.sum([in_bins(curve.values, BLOCKS) for curve in curves], axis=0)
    spread = float(np.sqrt(sum(np.std(np.diff(curve.values)) ** 2 / 2 for curve in curves)))
    first = sum(curve.first for curve in curves)
    return Side(first, blocks, 1.25 * spread / np.sqrt(min(map(len, curves)) / BLOCKS), gradients)
