"""What else happened at a step: a learning rate that rose, a restart, a jump of the gradient norm, an epoch border.

A coincidence is a finding with its numbers (`values`) and a clause for the sentence about the step (`words`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..record import Run
from ..record.types import FloatArray
from ..wording import num4
from ._epochs import epoch_borders
from ._excursions import gradient_excursions, standouts
from ._rate import learning_rate
from .curve import Curve, gradient_norm, moment

ROSE = 1.2  # a learning rate that grows by a fifth from one point to the next was raised on purpose
NEAR = 2.5  # points of the loss that count as the same moment
BORDERS_APART = 8  # points an epoch must hold for its border to be a moment at all
FEWEST_SPIKES = 4  # three gaps are the fewest that can be even beyond chance
HALF = ("fp16", "float16", "16", "16-mixed", "half", "torch.float16")


@dataclass(frozen=True)
class Coincidence:
    what: str
    words: str
    values: Mapping[str, Any]


def happened_at(run: Run, step: int, curve: Curve) -> list[Coincidence]:
    """Everything that the record shows within a few points of `step`, most telling first."""
    reach = NEAR * curve.spacing
    found = [_restart(run, step, reach), _rate_rose(run, step, reach), _norm_jumped(run, step, reach)]
    return [c for c in (*found, _border(run, step, curve)) if c is not None]


def _rate_rose(run: Run, step: int, reach: float) -> Coincidence | None:
    rate = learning_rate(run)
    if rate is None:
        return None
    steps, values = rate.curve.steps, rate.curve.values
    grown = np.flatnonzero(values[1:] > ROSE * values[:-1]) + 1
    # A warmup rises at every point: that is no event of this step. So does a smooth cycle.
    grown = np.array([i for i in grown if i == 1 or values[i - 1] <= ROSE * values[i - 2]], dtype=int)
    grown = grown[(steps[grown] <= step + reach / 2) & (steps[grown] >= step - 2 * reach)] if len(grown) else grown
    if not len(grown):
        return None
    i = int(grown[np.argmin(np.abs(steps[grown] - step))])
    before, after = float(values[i - 1]), float(values[i])
    words = f"the learning rate rose from {num4(before)} to {num4(after)} at {moment(run, int(steps[i]))}"
    return Coincidence("lr-rose", words, {"step": int(steps[i]), "from": before, "to": after})


def _restart(run: Run, step: int, reach: float) -> Coincidence | None:
    resumed = [r for r in run.log.resumed_at if -reach <= step - r <= 2 * reach]
    if not resumed:
        return None
    return Coincidence("restart", f"the run was resumed at {moment(run, int(resumed[0]))}", {"step": int(resumed[0])})


def _norm_jumped(run: Run, step: int, reach: float) -> Coincidence | None:
    norm = gradient_norm(run)
    near = max(reach, NEAR * norm.spacing) if len(norm) else reach
    jumps = [e for e in gradient_excursions(run) if e.level >= 0.5]
    jumps = [e for e in jumps if norm.steps[e.start] - near <= step <= norm.steps[e.peak] + near]
    if not jumps:
        return None
    highest = max(jumps, key=lambda e: e.height)
    at, size = int(norm.steps[highest.peak]), float(norm.values[highest.peak])
    words = f"the gradient norm jumped to {num4(size)} at {moment(run, at)}"
    return Coincidence("gradient-norm", words, {"step": at, "norm": size})


def _border(run: Run, step: int, curve: Curve) -> Coincidence | None:
    borders = epoch_borders(run)
    if not len(borders) or len(curve) / (len(borders) + 1) < BORDERS_APART:
        return None
    nearest = int(borders[np.argmin(np.abs(borders - step))])
    if not -0.5 * curve.spacing <= step - nearest <= 1.5 * curve.spacing:
        return None
    return Coincidence("epoch-border", f"an epoch begins at {moment(run, nearest)}", {"step": nearest})


@dataclass(frozen=True)
class Period:
    """`off` is the mean distance of the gaps from whole multiples of `length`, as a share of it.

    `p` is how often gaps of any length are as even by chance: their distances are uniform up to a half.
    """

    spikes: int
    length: float
    off: float
    p: float
    steps: FloatArray
    judged: bool  # long enough against the spacing to be a period
    height: float  # of the spikes above the points before them, in ratios (median)


def period_of(curve: Curve) -> Period | None:
    """The common period of the points that stand out; None where there are fewer than five."""
    found = standouts(curve)
    starts = curve.steps[found].astype(np.float64)
    if len(starts) < FEWEST_SPIKES:
        return None
    gaps = np.diff(starts)
    length = float(np.median(gaps[gaps <= 1.5 * gaps.min()]))
    multiples = np.maximum(1, np.round(gaps / length))
    off = float(np.mean(np.abs(gaps / length - multiples)))
    # A period of a few points fits anything: only gaps well above the spacing can be even by more than chance.
    judged = length >= 4 * curve.spacing and float(np.median(multiples)) <= 3
    gaps_judged = max(1, len(gaps) - 1)  # one of them set the length
    height = float(np.median(curve.ratios[found] - curve.ratios[np.maximum(found - 2, 0)]))
    return Period(len(starts), length, off, _as_even_by_chance(off, gaps_judged), starts, judged, height)


def _as_even_by_chance(off: float, gaps: int) -> float:
    """The probability that the mean of so many distances, uniform up to a half, is at most `off` (Irwin-Hall)."""
    if gaps > 150:  # far from the mean of a quarter nothing is left to chance
        return float(off > 0.1)
    # By logarithms: a hundred gaps to the power of a hundred overflow.
    return math.exp(min(0.0, gaps * math.log(2 * off * gaps) - math.lgamma(gaps + 1))) if off > 0 else 0.0


def half_precision(run: Run) -> str | None:
    """`float16` where the run computes in it, as observed or as its log's settings say."""
    precision = run.precision
    observed = [precision.autocast, *precision.param_dtypes]
    if any("float16" in found and "bfloat16" not in found for found in observed):
        return "float16"
    config = run.log.config
    for key, value in config.items():
        name = str(key).lower().rsplit(".", 1)[-1]
        asked = name in ("fp16", "half") and value in (True, 1, "true", "True")
        if asked or (name in ("precision", "dtype", "torch_dtype", "mixed_precision") and str(value).lower() in HALF):
            return "float16"
    return None


GROWN = 5.0  # times its usual size


@dataclass(frozen=True)
class Growth:
    """A curve before a step: its usual size, its last value, and since when it lay far above; None where it did not."""

    usual: float
    last: float
    since: int | None


def growth(curve: Curve, step: int, fewest: int) -> Growth | None:
    """How a loss or a norm had grown before `step`; None where fewer points were recorded."""
    before = curve.between(-float("inf"), step)
    if len(before) < fewest:
        return None
    usual = float(np.median(before.values[: max(1, len(before) * 3 // 4)]))
    if len(before) < 2 * fewest:  # in the first steps what grows is itself most of what was seen
        usual = min(usual, float(before.values[0]))
    last = float(before.values[-1])
    if not last > GROWN * usual > 0:
        return Growth(usual, last, None)
    ordinary = np.flatnonzero(before.values <= GROWN * usual)
    return Growth(usual, last, int(before.steps[int(ordinary[-1]) + 1 if len(ordinary) else 0]))
