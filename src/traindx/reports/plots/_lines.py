"""Curves over steps: raw and smoothed, interrupted where nothing was measured, and marked at NaN/Inf."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from ...record import Series
from ...record.types import FloatArray, IntArray
from ...signs.curve import Curve, curve_of
from ._axes import shortened
from ._subject import BROKEN

SMOOTH_SHARE = 25  # the window of the smoothed line is 1/25 of the run
FEWEST_TO_SMOOTH = 30
MOST_POINTS = 2000  # bins of a raw line, each drawn by its lowest and highest value
MOST_MARKS = 80
FEWEST_TO_JOIN = 4  # looks often come in pairs, and a line between two points would look like a range
SPIKE = 12.0  # robust standard deviations above the smoothed line
MOST_SPIKES = 12
MOST_LABELS = 3  # more labels about NaN would hide the curves
BROKEN_LABEL = "broken"
WIDEST_GAP = 0.03  # share of the run; no line is drawn across a wider gap without measurements
MOST_RAW = 4  # with more runs, the raw lines would hide each other


def stretches(steps: IntArray, whole: float) -> list[slice]:
    """Slices of points that are joined by a line. They are separated at gaps that are both long and unusual."""
    gaps = np.diff(steps)
    if not len(gaps):
        return [slice(0, len(steps))]
    wide = np.flatnonzero((gaps > WIDEST_GAP * whole) & (gaps > 3 * np.median(gaps)))
    return [slice(a, b) for a, b in pairwise([0, *(wide + 1).tolist(), len(steps)])]


def smoothed(curve: Curve, log: bool) -> FloatArray:
    """Running median, then running mean (of logarithms on a log scale). The median removes single spikes."""
    if len(curve) < FEWEST_TO_SMOOTH:
        return curve.values
    from scipy.ndimage import median_filter, uniform_filter1d

    half = max(2, len(curve) // SMOOTH_SHARE // 2)
    values = np.log(curve.values) if log else curve.values
    half = min(half, (len(curve) - 1) // 2)
    steady = median_filter(values, size=2 * half + 1, mode="nearest")
    means = uniform_filter1d(steady, size=half + 1, mode="nearest")
    return np.asarray(np.exp(means) if log else means)


def thinned(curve: Curve) -> Curve:
    """At most two points per bin, the lowest and the highest, so that spikes remain visible."""
    if len(curve) <= 2 * MOST_POINTS:
        return curve
    bounds = np.linspace(0, len(curve), MOST_POINTS + 1).astype(int)
    kept = {0, len(curve) - 1}
    for first, last in pairwise(bounds.tolist()):
        part = curve.values[first:last]
        kept |= {first + int(part.argmin()), first + int(part.argmax())}
    chosen = np.array(sorted(kept))
    return Curve(curve.steps[chosen], curve.values[chosen])


def by_medians(curve: Curve) -> Curve:
    """A long curve reduced to the medians of its bins, as input for smoothing."""
    if len(curve) <= 2 * MOST_POINTS:
        return curve
    bounds = np.linspace(0, len(curve), MOST_POINTS + 1).astype(int)
    middles = [np.median(curve.values[first:last]) for first, last in pairwise(bounds.tolist())]
    return Curve(curve.steps[(bounds[:-1] + bounds[1:]) // 2], np.array(middles))


def draw_curve(
    axes: Any, series: Series, colour: str, label: str, log: bool, *, raw: bool = True, whose: str = "", **style: Any
) -> None:
    """Draw the raw values faintly, the smoothed line strongly, and NaN/Inf as crosses along the top."""
    curve = curve_of(series)
    low, high = axes.get_xlim()
    parts = stretches(curve.steps, high - low)
    look = {"color": colour, "linewidth": 1.7, "zorder": 3, **style}
    if len(curve) and len(parts) == 1 and len(curve) >= FEWEST_TO_SMOOTH:
        if raw:
            shown = thinned(curve)
            axes.plot(shown.steps, shown.values, color=colour, alpha=0.35, linewidth=0.7, zorder=2)
        steady = by_medians(curve)
        smooth = smoothed(steady, log)
        axes.plot(steady.steps, smooth, label=label, **look)
        if raw:
            _mark_spikes(axes, curve, np.interp(curve.steps, steady.steps, smooth), log, colour)
    else:
        _samples(axes, curve, parts, label, look)
    mark_broken(axes, series, whose)


def _mark_spikes(axes: Any, curve: Curve, smooth: FloatArray, log: bool, colour: str) -> None:
    """Draw dots on spikes, because a faint line one step wide is invisible."""
    rise = np.log(curve.values / smooth) if log else curve.values - smooth
    usual = float(np.median(np.abs(rise))) / 0.6745
    far = np.flatnonzero(rise > SPIKE * max(usual, 1e-12))
    far = far[np.argsort(-rise[far])][:MOST_SPIKES]
    axes.plot(curve.steps[far], curve.values[far], "o", color=colour, markersize=3.5, zorder=4)


def _samples(axes: Any, curve: Curve, parts: list[slice], label: str, look: dict[str, Any]) -> None:
    """Draw single measurements as dots, joined by a line if several are close together."""
    dots = {"marker": "o", "markersize": 3.5 if len(curve) < 100 else 2.0}
    for i, part in enumerate(parts):
        joined = len(parts) == 1 or len(curve.steps[part]) >= FEWEST_TO_JOIN
        style = {**dots, **look, "linewidth": min(look["linewidth"], 1.2) if joined else 0.0}
        axes.plot(curve.steps[part], curve.values[part], label=label if i == 0 else None, **style)


def mark_broken(axes: Any, series: Series, whose: str = "") -> None:
    """Draw NaN/Inf: a cross at each step, a shaded range, and a label at the first."""
    broken = ~np.isfinite(series.values)
    if not broken.any():
        return
    axes.margins(y=0.16)  # keeps the crosses away from the last finite values
    steps = np.unique(series.steps[broken])
    shown = steps[np.unique(np.linspace(0, len(steps) - 1, min(len(steps), MOST_MARKS)).astype(int))]
    across = axes.get_xaxis_transform()
    before = sum(text.get_gid() == BROKEN_LABEL for text in axes.texts)
    top = np.full(len(shown), 0.96 - 0.05 * min(before, 6))
    axes.plot(shown, top, "x", transform=across, color=BROKEN, markersize=5, markeredgewidth=1.2, zorder=6)
    if len(steps) > 1 and not before:
        axes.axvspan(steps[0], steps[-1], color=BROKEN, alpha=0.07, linewidth=0, zorder=0)
    if before >= MOST_LABELS:
        return
    infinite = np.isinf(series.values[broken])
    word = "Inf" if infinite.all() else "NaN/Inf" if infinite.any() else "NaN"
    text = f"{shortened(whose)} {word} {'at' if len(steps) == 1 else 'from'} step {steps[0]:,}".strip()
    low, high = axes.get_xlim()
    late = steps[0] > low + 0.6 * (high - low)
    axes.annotate(
        text, (steps[0], 0.88 - 0.1 * before), xycoords=across, color=BROKEN, fontsize=9, fontweight="bold",
        ha="right" if late else "left", xytext=(-5 if late else 5, 0), textcoords="offset points", va="top", zorder=7,
        gid=BROKEN_LABEL, bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.75, "pad": 1},
    )  # fmt: skip
