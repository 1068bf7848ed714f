"""Curves over steps: raw and smoothed, with a mark wherever a value was not finite."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...record import Series
from ...record.types import FloatArray
from ...signs._curve import Curve, curve_of
from ._subject import BROKEN

SMOOTH_SHARE = 50  # the smoothed line looks at a fiftieth of the run
FEWEST_TO_SMOOTH = 30
DECADES = 10.0  # a span beyond this ratio is drawn on a logarithmic scale
MOST_MARKS = 150
MOST_RAW = 4  # with more runs the raw points only hide each other


def smoothed(curve: Curve, log: bool) -> FloatArray:
    """Running mean (of logarithms on a logarithmic scale), narrower towards the ends."""
    half = len(curve) // SMOOTH_SHARE // 2
    if len(curve) < FEWEST_TO_SMOOTH:
        return curve.values
    half = max(2, half)
    values = np.log(curve.values) if log else curve.values
    sums = np.concatenate([[0.0], np.cumsum(values)])
    place = np.arange(len(values))
    reach = np.minimum(np.minimum(place, len(values) - 1 - place), half)
    means = (sums[place + reach + 1] - sums[place - reach]) / (2 * reach + 1)
    return np.asarray(np.exp(means) if log else means)


def spans_decades(series: Sequence[Series]) -> bool:
    """Whether a linear axis would show a cliff and a floor."""
    values = np.concatenate([one.finite.values for one in series] or [np.zeros(0)])
    if not len(values) or values.min() <= 0:
        return False
    low, high = np.quantile(values, [0.01, 0.999])
    return bool(high > DECADES * low)


def scale(axes: Any, series: Sequence[Series]) -> bool:
    """Choose the axis's scale; true for a logarithmic one."""
    if spans_decades(series):
        axes.set_yscale("log")
        return True
    values = np.concatenate([one.finite.values for one in series] or [np.zeros(0)])
    if len(values) and np.abs(values).max() > 1e4 * max(float(np.median(np.abs(values))), 1e-300):
        # Zero or negative values and an explosion: linear around zero, logarithmic beyond.
        axes.set_yscale("symlog", linthresh=max(float(np.median(np.abs(values))), 1e-12))
    return False


def draw_curve(
    axes: Any, series: Series, colour: str, label: str, log: bool, *, raw: bool = True, **style: Any
) -> None:
    """Raw values faint, the smoothed line strong, values that are not finite as crosses along the top."""
    curve = curve_of(series)
    smooth = smoothed(curve, log)
    if len(curve) < FEWEST_TO_SMOOTH:
        style = {"marker": "o", "markersize": 3.5, **style}
    elif raw:
        axes.plot(curve.steps, curve.values, color=colour, alpha=0.28, linewidth=0.7, zorder=2)
    axes.plot(curve.steps, smooth, **{"color": colour, "linewidth": 1.7, "label": label, "zorder": 3, **style})
    mark_broken(axes, series)


def mark_broken(axes: Any, series: Series) -> None:
    """NaN is drawn: crosses at its steps, and the stretch shaded where it lasts."""
    steps = series.steps[~np.isfinite(series.values)]
    if not len(steps):
        return
    steps = np.unique(steps)
    shown = steps[np.unique(np.linspace(0, len(steps) - 1, min(len(steps), MOST_MARKS)).astype(int))]
    across = axes.get_xaxis_transform()
    axes.plot(
        shown,
        np.full(len(shown), 0.96),
        "x",
        transform=across,
        color=BROKEN,
        markersize=6,
        markeredgewidth=1.4,
        zorder=6,
    )
    if len(steps) > 1:
        axes.axvspan(steps[0], steps[-1], color=BROKEN, alpha=0.07, linewidth=0, zorder=0)
    infinite = np.isinf(series.values[~np.isfinite(series.values)]).all()
    word = "infinite" if infinite else "NaN"
    text = f"{word} at step {steps[0]:,}" if len(steps) == 1 else f"{word} from step {steps[0]:,}"
    span = axes.get_xlim()
    late = steps[0] > span[0] + 0.6 * (span[1] - span[0])
    axes.annotate(
        text, (steps[0], 0.88), xycoords=across, color=BROKEN, fontsize=9, fontweight="bold",
        ha="right" if late else "left", xytext=(-4 if late else 4, 0), textcoords="offset points", va="top", zorder=7,
    )  # fmt: skip


def finish(axes: Any, ylabel: str, *, log: bool = False, xlabel: str | None = "step") -> None:
    """The look that all charts share."""
    axes.set_ylabel(ylabel + (" (log scale)" if log else ""))
    if xlabel:
        axes.set_xlabel(xlabel)
        axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    axes.grid(True, axis="y", color="#d8dbe0", linewidth=0.6, zorder=0)
    axes.spines[["top", "right"]].set_visible(False)
    axes.margins(x=0.01)


def legend(axes: Any, most: int = 10) -> None:
    """Names of the lines; with very many only the first are worth the room."""
    handles, labels = axes.get_legend_handles_labels()
    if len(handles) < 2:
        return
    left_out = len(handles) - most
    drawn = axes.legend(handles[:most], labels[:most], frameon=False, fontsize=9, loc="best")
    if left_out > 0:
        drawn.set_title(f"the first {most} of {len(handles)}")


def unit_of(run: Any) -> str:
    log = run.facts.get("log")
    return str(log.get("step_unit") or "step") if isinstance(log, dict) else "step"
