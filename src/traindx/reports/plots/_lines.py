"""Curves over steps: raw and smoothed, with a mark wherever a value was not finite."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...record import Run, Series
from ...record.types import FloatArray
from ...signs.curve import Curve, curve_of
from ...wording import clean
from ._subject import BROKEN, Subject

SMOOTH_SHARE = 25  # the smoothed line looks at a twenty-fifth of the run
FEWEST_TO_SMOOTH = 30
DECADES = 10.0  # a span beyond this ratio is drawn on a logarithmic scale
MOST_MARKS = 150
MOST_LABELS = 3  # more words about NaN would hide the curves
BROKEN_LABEL = "broken"
CONSTANT = 1e-4  # a range that is a smaller share of the value is rounding, and is drawn as a level line
MOST_INSIDE, LONGEST_INSIDE = 4, 24  # lines and letters of a legend that hides no curve
MOST_RAW = 4  # with more runs the raw points only hide each other


def smoothed(curve: Curve, log: bool) -> FloatArray:
    """Running mean (of logarithms on a logarithmic scale), over what there is towards the ends."""
    half = len(curve) // SMOOTH_SHARE // 2
    if len(curve) < FEWEST_TO_SMOOTH:
        return curve.values
    half = max(2, half)
    values = np.log(curve.values) if log else curve.values
    sums = np.concatenate([[0.0], np.cumsum(values)])
    place = np.arange(len(values))
    first, last = np.maximum(place - half, 0), np.minimum(place + half + 1, len(values))
    means = (sums[last] - sums[first]) / (last - first)
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
    axes: Any, series: Series, colour: str, label: str, log: bool, *, raw: bool = True, whose: str = "", **style: Any
) -> None:
    """Raw values faint, the smoothed line strong, values that are not finite as crosses along the top."""
    curve = curve_of(series)
    smooth = smoothed(curve, log)
    if len(curve) < FEWEST_TO_SMOOTH:
        style = {"marker": "o", "markersize": 3.5, **style}
    elif raw:
        # Sampled with gaps, a line between two samples would claim to know what lies there.
        gaps = np.diff(curve.steps)
        look = {"marker": ".", "linewidth": 0.0} if gaps.max() > 10 * np.median(gaps) else {"linewidth": 0.7}
        axes.plot(curve.steps, curve.values, color=colour, alpha=0.3, zorder=2, **look)
    axes.plot(curve.steps, smooth, **{"color": colour, "linewidth": 1.7, "label": label, "zorder": 3, **style})
    mark_broken(axes, series, whose)


def mark_broken(axes: Any, series: Series, whose: str = "") -> None:
    """NaN is drawn: crosses at its steps, the stretch shaded where it lasts, and a word about the first."""
    broken = ~np.isfinite(series.values)
    if not broken.any():
        return
    steps = np.unique(series.steps[broken])
    shown = steps[np.unique(np.linspace(0, len(steps) - 1, min(len(steps), MOST_MARKS)).astype(int))]
    across = axes.get_xaxis_transform()
    before = sum(text.get_gid() == BROKEN_LABEL for text in axes.texts)
    top = np.full(len(shown), 0.96 - 0.05 * min(before, 6))
    axes.plot(shown, top, "x", transform=across, color=BROKEN, markersize=6, markeredgewidth=1.4, zorder=6)
    if len(steps) > 1 and not before:
        axes.axvspan(steps[0], steps[-1], color=BROKEN, alpha=0.07, linewidth=0, zorder=0)
    if before >= MOST_LABELS:
        return
    word = "infinite" if np.isinf(series.values[broken]).all() else "NaN"
    text = f"{shortened(whose)} {word} {'at' if len(steps) == 1 else 'from'} step {steps[0]:,}".strip()
    low, high = axes.get_xlim()
    late = steps[0] > low + 0.6 * (high - low)
    axes.annotate(
        text, (steps[0], 0.86 - 0.1 * before), xycoords=across, color=BROKEN, fontsize=9, fontweight="bold",
        ha="right" if late else "left", xytext=(-4 if late else 4, 0), textcoords="offset points", va="top", zorder=7,
        gid=BROKEN_LABEL,
    )  # fmt: skip


def extent(subjects: Sequence[Subject]) -> tuple[float, float]:
    """The steps from first to last, the same in every chart, so that one can look from chart to chart."""
    series = [subject.run.series(name) for subject in subjects for name in ("loss/train", "loss/validation", "lr")]
    steps = np.concatenate([one.steps for one in series] or [np.zeros(1, np.int64)])
    if not len(steps):
        steps = np.array([0, max(subject.run.steps for subject in subjects)])
    margin = 0.01 * max(1, int(np.ptp(steps)))
    return float(steps.min()) - margin, float(steps.max()) + margin


def finish(axes: Any, ylabel: str, *, log: bool = False, xlabel: str | None = "step") -> None:
    """The look that all charts share."""
    axes.set_ylabel(ylabel + (" (log scale)" if log else ""))
    if axes.get_yscale() == "linear":
        axes.ticklabel_format(axis="y", useOffset=False)  # nobody adds 1.2 to every tick
        low, high = axes.get_ylim()
        middle = abs(low + high) / 2
        if high - low < CONSTANT * middle:
            axes.set_ylim((low + high) / 2 - 0.1 * middle, (low + high) / 2 + 0.1 * middle)
    if xlabel:
        axes.set_xlabel(xlabel)
        axes.xaxis.get_major_locator().set_params(integer=True)  # there is no step 2,566.5
        axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    axes.grid(True, axis="y", color="#d8dbe0", linewidth=0.6, zorder=0)
    axes.spines[["top", "right"]].set_visible(False)


def legend(axes: Any, most: int = 10) -> None:
    """Names of the lines; with very many only the first are worth the room. Many or long ones go beside the chart."""
    handles, labels = axes.get_legend_handles_labels()
    if len(handles) < 2:
        return
    left_out = len(handles) - most
    shown = [shortened(label) for label in labels[:most]]
    beside = len(shown) > MOST_INSIDE or max(map(len, shown)) > LONGEST_INSIDE
    place = {"loc": "center left", "bbox_to_anchor": (1.0, 0.5)} if beside else {"loc": "best"}
    drawn = axes.legend(handles[:most], shown, fontsize=9, framealpha=0.8, edgecolor="none", **place)
    if left_out > 0:
        drawn.set_title(f"the first {most} of {len(handles)}")


def shortened(label: str, most: int = 34) -> str:
    """A name with its middle left out: the ends of paths tell runs apart."""
    return label if len(label) <= most else f"{label[: most // 2 - 1]}…{label[-(most // 2) :]}"


def unit_of(run: Run) -> str:
    return clean(run.step_unit)
