"""Axes and curves shared by all charts: range of steps, scale, ticks, titles, legends, where symptoms begin; raw and
smoothed lines, interrupted where nothing was measured, and marked at NaN/Inf.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from ...diagnosis import Diagnosis
from ...record import Run, Series
from ...record.types import FloatArray, IntArray, evenly
from ...signs import Sign
from ...signs.curve import Curve, curve_of
from ...wording import clean
from .._charts import extremes

# Distinct for most kinds of colour vision (after Okabe and Ito), strong colours first.
PALETTE = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7f5539", "#5c5c5c")
STROKES: tuple[Any, ...] = ("-", (0, (5, 2)), (0, (6, 2, 1.5, 2)), (0, (2, 1.5)))
BROKEN = "#c01c28"  # NaN/Inf in all charts
VALIDATION = "#d55e00"


@dataclass(frozen=True, eq=False)
class Subject:
    run: Run
    name: str
    colour: str
    diagnosis: Diagnosis | None = None  # only for a single run, whose onsets are marked
    stroke: Any = "-"


def subjects_of(runs: Sequence[Run], names: Sequence[str], diagnosis: Diagnosis | None = None) -> list[Subject]:
    """The runs with colours. If there are more runs than colours, colours repeat with other line styles."""
    return [
        Subject(
            run,
            clean(name),
            PALETTE[i % len(PALETTE)],
            diagnosis if len(runs) == 1 else None,
            STROKES[i // len(PALETTE) % len(STROKES)],
        )
        for i, (run, name) in enumerate(zip(runs, names, strict=True))
    ]


DECADES = 10.0  # values that span more than this ratio are drawn on a log scale
CONSTANT = 1e-4  # a range below this share of the value is rounding and is drawn as a flat line
GREY, SOFT = "#d8dbe0", "#555b66"
LINE = 11.5  # height in points of a text line above a chart
MARKS = 13.0  # height in points of the letters above a chart


def scale(axes: Any, series: Sequence[Series]) -> bool:
    """Choose the scale of the y axis; True for a log scale. All values count, because spikes must be visible."""
    values = np.concatenate([one.finite.values for one in series] or [np.zeros(0)])
    if not len(values):
        return False
    if values.min() > 0 and values.max() > DECADES * float(np.quantile(values, 0.01)):
        axes.set_yscale("log")
        return True
    middle = float(np.median(np.abs(values)))
    if np.abs(values).max() > 1e3 * max(middle, 1e-300):
        # Zero or negative values together with huge ones: linear around zero, logarithmic beyond.
        axes.set_yscale("symlog", linthresh=max(middle, 1e-12))
    return False


def extent(subjects: Sequence[Subject]) -> tuple[float, float]:
    """The range of steps, the same in every chart, so that charts below each other line up."""
    names = ("loss/train", "loss/validation", "lr", "grad_norm")
    series = [subject.run.series(name) for subject in subjects for name in names]
    steps = np.concatenate([one.steps for one in series] or [np.zeros(1, np.int64)])
    if not len(steps):
        steps = np.array([0, max(subject.run.steps for subject in subjects)])
    first, last = float(steps.min()), float(steps.max())
    margin = 0.01 * (last - first) if last > first else 1.0
    return first - margin, last + margin


def finish(axes: Any, ylabel: str, *, log: bool = False, unit: str | None = "step") -> None:
    """Apply the style shared by all charts. `unit` names the steps, if the horizontal axis shows steps."""
    axes.set_ylabel(ylabel + (" (log scale)" if log else ""))
    if axes.get_yscale() == "linear":
        axes.ticklabel_format(axis="y", useOffset=False)
        low, high = axes.get_ylim()
        middle = abs(low + high) / 2
        if high - low < CONSTANT * middle:
            axes.set_ylim((low + high) / 2 - 0.1 * middle, (low + high) / 2 + 0.1 * middle)
    elif axes.get_yscale() == "log":
        plain_decades(axes.yaxis, *axes.get_ylim())
    else:
        axes.yaxis.set_major_formatter(lambda value, _: plain(value))
    if unit:
        steps_below(axes, unit)
    axes.grid(True, axis="y", color=GREY, linewidth=0.6, zorder=0)
    axes.spines[["top", "right"]].set_visible(False)


def plain_decades(axis: Any, low: float, high: float) -> None:
    """Plain numbers as ticks of a log axis; if it spans about two decades or less, also 2 and 5 of each decade.

    matplotlib's own labels need its math notation, which is off because names may contain dollar signs.
    """
    from matplotlib.ticker import LogLocator, NullFormatter

    decades = np.log10(high / low) if low > 0 and high > 0 else 0.0
    between = (1.0,) if decades > 2.2 else (1.0, 2.0, 5.0) if decades > 0.9 else tuple(np.arange(1.0, 10.0))
    axis.set_major_locator(LogLocator(subs=between, numticks=7))
    axis.set_major_formatter(lambda value, _: plain(value))
    axis.set_minor_formatter(NullFormatter())


def plain(value: float) -> str:
    """A tick's number: 0.001, 20000, 1e15, 4e-5."""
    return re.sub(r"e([+-])0*(\d)", lambda found: f"e{found[1].strip('+')}{found[2]}", f"{value + 0.0:.6g}")


def steps_below(axes: Any, unit: str) -> None:
    """Ticks at whole steps."""
    from matplotlib.ticker import MaxNLocator

    axes.set_xlabel(unit)
    axes.xaxis.set_major_locator(MaxNLocator(nbins=9, integer=True))
    axes.xaxis.set_major_formatter(lambda value, _: f"{value + 0.0:,.0f}")


def above(axes: Any, title: str, lines: Sequence[tuple[str, str]], *, marked: bool) -> None:
    """Title and lines (text, colour) above the chart; with `marked`, they leave room for letters."""
    height = MARKS if marked else 5.0
    for text, colour in reversed(lines):
        axes.annotate(text, (0, 1), xytext=(0, height), color=colour, fontsize=8.5, **_OFFSET)
        height += LINE
    if title:
        axes.annotate(title, (0, 1), xytext=(0, height + 1), fontsize=11.5, fontweight="bold", **_OFFSET)


_OFFSET = {"xycoords": "axes fraction", "textcoords": "offset points", "ha": "left", "va": "bottom"}


def legend(axes: Any) -> None:
    """A legend, if there are at least two lines."""
    handles, labels = axes.get_legend_handles_labels()
    if len(handles) > 1:
        axes.legend(handles, labels, fontsize=8.5, framealpha=0.85, edgecolor="none", loc="best")


def shortened(label: str, most: int = 34) -> str:
    """A long name without its middle, because the ends of paths distinguish runs."""
    return label if len(label) <= most else f"{label[: most // 2 - 1]}…{label[-(most // 2) :]}"


def unit_of(*runs: Run) -> str:
    """What the horizontal axis counts; different logs may count different things."""
    return " or ".join(dict.fromkeys(clean(run.step_unit) for run in runs))


MOST = 5
LETTERS = "ABCDE"


def onsets(diagnosis: Diagnosis | None) -> list[tuple[int, list[Sign]]]:
    """The onsets of the leading symptoms in order of time, each with its signs."""
    found: dict[int, list[Sign]] = {}
    for sign in diagnosis.symptoms if diagnosis else ():
        if sign.onset is not None and sign.severity != "info":
            found.setdefault(sign.onset, []).append(sign)
    return sorted(list(found.items())[:MOST])


def onset_lines(subjects: Sequence[Subject]) -> list[str]:
    """The meaning of the letters, one line each."""
    if len(subjects) > 1:
        return []
    unit = clean(subjects[0].run.step_unit)
    return [
        f"{letter}  from {unit} {step:,}: {', '.join(clean(sign.id.replace('-', ' ')) for sign in signs[:3])}"
        for letter, (step, signs) in zip(LETTERS, onsets(subjects[0].diagnosis), strict=False)
    ]


def mark_onsets(axes: Any, subject: Subject) -> None:
    """Draw a pale line behind the curve at each onset, and its letter above the chart."""
    low, high = axes.get_xlim()
    free = low - 1.0
    for letter, (step, _) in zip(LETTERS, onsets(subject.diagnosis), strict=False):
        axes.axvline(step, color="#c3c8d0", linewidth=1.0, zorder=1)
        axes.axvline(step, ymin=0.95, color="#333333", linewidth=1.2, zorder=5)
        # Move letters apart if onsets are closer than a letter is wide.
        place = max(float(step), free)
        free = place + 0.016 * (high - low)
        axes.annotate(
            letter, (place, 1.0), xycoords=axes.get_xaxis_transform(), xytext=(0, 1.5), textcoords="offset points",
            fontsize=8.5, fontweight="bold", ha="center", va="bottom", annotation_clip=False,
        )  # fmt: skip


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
            kept = extremes(curve.values, MOST_POINTS)
            axes.plot(curve.steps[kept], curve.values[kept], color=colour, alpha=0.35, linewidth=0.7, zorder=2)
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
    shown = steps[evenly(len(steps), MOST_MARKS)]
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
