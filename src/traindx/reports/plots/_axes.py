"""Axes shared by all charts: the range of steps, linear or log scale, ticks, titles, legends."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...record import Run, Series
from ...wording import clean
from ._subject import Subject

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
