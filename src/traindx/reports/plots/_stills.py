"""The charts of a still picture in their order, and the picture (PNG, SVG, PDF) that shows them below each other."""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ...errors import PlainError
from ...record import Run, Series
from ...signs.curve import curve_of
from .._charts import Chart, charts
from ..layout import fold
from ._axes import (
    FEWEST_TO_SMOOTH,
    LINE,
    MARKS,
    MOST_RAW,
    PALETTE,
    SOFT,
    VALIDATION,
    Subject,
    above,
    draw_curve,
    extent,
    finish,
    legend,
    mark_onsets,
    onset_lines,
    plain,
    scale,
    shortened,
    smoothed,
    unit_of,
)
from ._maps import draw_flow, draw_health, gradients_of, map_height, shares_of

JUMP = 1.5  # a smooth schedule changes by a smaller factor between two records
MOST_JUMPS = 12
DEAD_OR_SATURATED = (
    "Share of units that are always zero (dead), or of outputs near their limit (saturated). Pale is healthy."
)
SPREAD = "Standard deviation of each layer's outputs: it should neither vanish nor grow with depth."


@dataclass(frozen=True)
class Still:
    """`draw(axes, side, subjects)` draws; `side` is for the colour bar of a map of one run, if the chart has one."""

    name: str
    title: str
    has: Callable[[Run], bool]
    draw: Callable[[Any, Any, Sequence[Subject]], None]
    reads: Callable[[Run], str]  # how to read it, in one sentence
    several: str  # the same for several runs
    height: float | Callable[[Run], float] = 3.0  # in inches, of one run
    bar: bool = False
    marked: bool = False  # shows where symptoms begin
    repeats: bool = False  # shows nothing new of a single run


def all_stills() -> list[Still]:
    return [
        Still(
            "loss", "Loss", partial(_has, "loss"), _draw_loss, _reads_loss,
            "Training loss, one line per run, smoothed where there are many values. Red crosses: NaN or Inf.",
            3.2, marked=True,
        ),
        Still(
            "generalisation", "Training against validation loss",
            lambda run: bool(run.series("loss/train") and run.series("loss/validation")), _draw_both, _reads_loss,
            "Dotted: training; solid: validation. One that rises while training falls is overfitting.", 3.2,
            repeats=True,
        ),
        Still(
            "learning-rate", "Learning rate", lambda run: len(run.series("lr").finite) > 1, _draw_rate, _reads_rate,
            "The learning rates that the losses above were trained with, in the same colours.", 1.9,
        ),
        Still(
            "gradient-norm", "Gradient norm", partial(_has, "gradient"), partial(_draw, "gradient", "gradient norm"),
            lambda _: "Sudden peaks come from bad batches or steps; a fall towards zero means that learning has "
            "stopped.",
            "Before clipping, if a run clips. A fall towards zero means that learning has stopped.", 2.5,
        ),
        Still(
            "gradient-flow", "Gradient flow by layer", lambda run: bool(gradients_of(run)),
            draw_flow,
            lambda _: "Input at the top, output at the bottom. Dark rows learn little; red: NaN or Inf; black: exactly "
            "zero.",
            "The typical size by layer in the second half of each run, from the input (left) to the output.",
            partial(map_height, flow=True), bar=True,
        ),
        Still(
            "activation-health", "Activation health", lambda run: bool(shares_of(run) or run.layers("act_std")),
            draw_health,
            lambda run: DEAD_OR_SATURATED if shares_of(run) else SPREAD,
            "Mean over layers. Solid: units that are always zero (dead); dashed: outputs near their limit.",
            partial(map_height, flow=False), bar=True,
        ),
    ]  # fmt: skip


def chart_names() -> list[str]:
    return [still.name for still in all_stills()]


def charts_for(runs: Sequence[Run], names: Sequence[str] | None = None) -> list[Still]:
    """The charts for which at least one run has data. Of a single run, charts that repeat another are left out."""
    wanted = [still for still in all_stills() if (still.name in names if names else len(runs) > 1 or not still.repeats)]
    return [still for still in wanted if any(still.has(run) for run in runs)]


def _chart(run: Run, key: str) -> Chart | None:
    return next((chart for chart in charts(run) if chart.key == key), None)


def _has(key: str, run: Run) -> bool:
    return _chart(run, key) is not None


def _draw(key: str, ylabel: str, axes: Any, _side: Any, subjects: Sequence[Subject]) -> None:
    """The lines of one run, or the first line of each of several."""
    axes.set_xlim(*extent(subjects))
    drawn = [(subject, lines) for subject in subjects if (lines := _lines(subject.run, key))]
    alone = len(drawn) == 1
    log = scale(axes, [series for _, lines in drawn for _, series in (lines if alone else lines[:1])])
    for subject, lines in drawn:
        colours = iter(colour for colour in PALETTE * len(lines) if colour != VALIDATION)
        for label, series in lines if alone else lines[:1]:
            validation = "validation" in series.name
            colour = VALIDATION if validation else next(colours) if alone else subject.colour
            named = (label if len(lines) > 1 else "smoothed") if alone else ""
            whose = subject.name if not alone else label if len(lines) > 1 else ""
            raw = not validation and len(subjects) <= MOST_RAW
            draw_curve(axes, series, colour, named, log, raw=raw, whose=whose, linestyle=subject.stroke)
    finish(axes, ylabel, log=log, unit=unit_of(*(subject.run for subject in subjects)))
    legend(axes)


def _lines(run: Run, key: str) -> list[tuple[str, Series]]:
    """The lines of a chart; clipping calls of quick steps each at the step that they belong to, and clipped norms first
    where several runs are compared by their first line."""
    chart = _chart(run, key)
    lines = [(label, spread(one) if one.name == "clip/norm" else one) for label, one in chart.lines] if chart else []
    return sorted(lines, key=lambda line: line[1].name != "clip/norm")


def spread(norms: Series) -> Series:
    """On the fast path, several clipping calls are recorded under one step. If their number equals the number of steps
    until the next record, each call belongs to one of those steps."""
    steps, first, counts = np.unique(norms.steps, return_index=True, return_counts=True)
    gaps = np.append(np.diff(steps), counts[-1])
    if len(np.unique(first)) != len(steps) or (np.diff(norms.steps) < 0).any() or not (counts == gaps).all():
        return norms
    return Series(norms.name, steps[0] + np.arange(len(norms)), norms.values)


def _draw_loss(axes: Any, side: Any, subjects: Sequence[Subject]) -> None:
    _draw("loss", "loss", axes, side, subjects)
    if len(subjects) == 1:
        run = subjects[0].run
        training, validation = curve_of(run.series("loss/train")), curve_of(run.series("loss/validation"))
        if len(validation) > 1:
            if len(training) > 1 and len(_lines(run, "loss")) == 2:
                below = np.interp(validation.steps, training.steps, smoothed(training, axes.get_yscale() == "log"))
                colours = {"color": VALIDATION, "alpha": 0.12, "linewidth": 0, "zorder": 1}
                axes.fill_between(validation.steps, below, validation.values, **colours)
            _best(axes, run)
        mark_onsets(axes, subjects[0])


def _best(axes: Any, run: Run) -> None:
    validation = curve_of(run.series("loss/validation"))
    at = int(np.argmin(validation.values))
    step, value = int(validation.steps[at]), float(validation.values[at])
    axes.plot(
        [step], [value], "o", color=VALIDATION, markersize=8, markerfacecolor="white", markeredgewidth=2, zorder=5
    )
    late = at > 0.6 * len(validation)
    axes.annotate(
        f"lowest validation {value:.4g}, {unit_of(run)} {step:,}", (step, value), xytext=(-8 if late else 8, -9),
        fontsize=8.5, textcoords="offset points", ha="right" if late else "left", color=VALIDATION, va="top", zorder=7,
        bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 1},
    )  # fmt: skip
    axes.margins(y=0.15)


def _reads_loss(run: Run) -> str:
    """Explains only what this run's chart shows."""
    series = [one for _, one in _lines(run, "loss")]
    parts = {
        "faint: every recorded value; strong: smoothed": len(series[0]) >= FEWEST_TO_SMOOTH,
        "shaded: the gap to validation": len(series) == 2 and len(run.series("loss/validation")) > 1,
        "red crosses: NaN or Inf": any(len(its.finite) < len(its) for its in series),
    }
    told = "; ".join(text for text, holds in parts.items() if holds)
    return f"{told[:1].upper()}{told[1:]}." if told else "The loss at every recorded step."


def _draw_both(axes: Any, side: Any, subjects: Sequence[Subject]) -> None:
    if len(subjects) == 1:
        _draw_loss(axes, side, subjects)
        return
    dotted = {"linestyle": ":", "marker": "", "linewidth": 1.2}
    names = {"loss/train": dotted, "loss/validation": {}}
    log = scale(axes, [subject.run.series(name) for subject in subjects for name in names])
    axes.set_xlim(*extent(subjects))
    for subject in subjects:
        for name, style in names.items():
            draw_curve(axes, subject.run.series(name), subject.colour, "", log, raw=False, whose=subject.name, **style)
    finish(axes, "loss", log=log, unit=unit_of(*(subject.run for subject in subjects)))


def _draw_rate(axes: Any, _side: Any, subjects: Sequence[Subject]) -> None:
    """Rates hold until they change, so they are drawn as steps, and never smoothed."""
    axes.set_xlim(*extent(subjects))
    drawn = [(subject, label, curve_of(one)) for subject in subjects for label, one in _lines(subject.run, "rate")]
    peaks = [float(curve.values.max()) for _, _, curve in drawn]
    log = any(chart.log for subject in subjects if (chart := _chart(subject.run, "rate")))
    log = log or (min(peaks) > 0 and max(peaks) > 10 * min(peaks))
    if log:
        axes.set_yscale("log")
    alone = len(subjects) == 1
    for place, (subject, label, curve) in enumerate(drawn):
        axes.plot(
            curve.steps, curve.values, color=PALETTE[place % len(PALETTE)] if alone else subject.colour, linewidth=1.7,
            label=label if alone else None, drawstyle="steps-post", linestyle=subject.stroke,
        )  # fmt: skip
    for step in _jumps(subjects[0].run) if alone else ():
        axes.axvline(step, color="#333333", linewidth=1, linestyle=":", zorder=1)
    finish(axes, "LR", log=log, unit=unit_of(*(subject.run for subject in subjects)))
    if not log:
        axes.set_ylim(0, 1.08 * max(peaks) or 1.0)
        axes.yaxis.set_major_formatter(lambda value, _: plain(value))
        axes.yaxis.get_major_locator().set_params(nbins=4)
    legend(axes)


def _reads_rate(run: Run) -> str:
    jumps = "Dotted: where the learning rate jumps. " if _jumps(run) else ""
    return f"{jumps}The loss above has the same steps: compare it at each change."


def _jumps(run: Run) -> list[int]:
    """The first steps at which the learning rate jumps."""
    curve = curve_of(run.series("lr"))
    rates = curve.values
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = np.abs(np.log(rates[1:] / rates[:-1]))
    # At the end of a decay to zero, every step is a large ratio but a tiny difference.
    sudden = (ratios > np.log(JUMP)) & (np.abs(np.diff(rates)) > 0.05 * rates.max())
    return [int(step) for step in curve.steps[1:][sudden][:MOST_JUMPS]]


WIDTH = 9.5  # inches
SEVERAL_HEIGHT = 3.1  # of the lines that stand for the maps of several runs
MOST_NAMES = 24  # of runs in the legend
COLUMNS = 3  # of the legend
INCH = 72.0  # points
TITLE = 18.0  # points of a chart's title
STYLE = {
    "font.family": "DejaVu Sans",
    "font.size": 9.5,
    "axes.edgecolor": "#8a8f98",
    "axes.linewidth": 0.8,
    "text.parse_math": False,  # a run may be called $x$
    "svg.hashsalt": "traindx",  # the same run gives the same file
}


class Unavailable(PlainError):
    """matplotlib is not installed."""


def draw(subjects: Sequence[Subject], charts: Sequence[Still], format: str) -> bytes:
    """The picture in the given format. Raises Unavailable without matplotlib."""
    try:
        import matplotlib as mpl
        from matplotlib.figure import Figure
    except ImportError:
        raise Unavailable("drawing needs matplotlib: pip install 'traindx[plot]'") from None

    # Without pyplot, no window system is needed and the caller's own figures stay untouched.
    with mpl.rc_context(STYLE), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph", UserWarning)  # the font lacks some scripts
        warnings.filterwarnings("ignore", "constrained_layout", UserWarning)  # a name may be wider than the page
        return _picture(subjects, charts, Figure, format)


def _picture(subjects: Sequence[Subject], charts: Sequence[Still], figure_class: Any, format: str) -> bytes:
    """The charts below each other in one grid, so that their steps line up."""
    chosen = [[subject for subject in subjects if chart.has(subject.run)] for chart in charts]
    lines = [_lines_above(chart, its) for chart, its in zip(charts, chosen, strict=True)]
    heights = [
        _height(chart, its) + (LINE * len(texts) + MARKS + TITLE) / INCH
        for chart, its, texts in zip(charts, chosen, lines, strict=True)
    ]
    names = min(len(subjects), MOST_NAMES + 1) if len(subjects) > 1 else 0
    figure = figure_class(
        figsize=(WIDTH, sum(heights) + 0.75 + 0.2 * -(-names // COLUMNS)), layout="constrained", facecolor="white"
    )
    figure.get_layout_engine().set(h_pad=0.06, w_pad=0.08)
    bars = any(chart.bar and len(its) == 1 for chart, its in zip(charts, chosen, strict=True))
    grid = figure.add_gridspec(
        len(charts), 1 + bars, height_ratios=heights, **({"width_ratios": [1, 0.018], "wspace": 0.01} if bars else {})
    )
    for place, (chart, its, texts) in enumerate(zip(charts, chosen, lines, strict=True)):
        axes = figure.add_subplot(grid[place, 0])
        has_bar = chart.bar and len(its) == 1
        chart.draw(axes, figure.add_subplot(grid[place, 1]) if has_bar else None, its)
        above(axes, _title(chart, subjects), texts, marked=bool(onset_lines(its)) and chart.marked)
    _heading(figure, subjects)
    held = io.BytesIO()
    figure.savefig(held, format=format, dpi=150, metadata={"Date": None} if format == "svg" else None)
    return held.getvalue()


def _lines_above(chart: Still, subjects: Sequence[Subject]) -> list[tuple[str, str]]:
    """How to read the chart, and the meaning of its letters."""
    meanings = onset_lines(subjects) if chart.marked else []
    return [
        (chart.several if len(subjects) > 1 else chart.reads(subjects[0].run), SOFT),
        *((text, "#222222") for text in meanings),
    ]


def _heading(figure: Any, subjects: Sequence[Subject]) -> None:
    """The run's name and finding; for several runs, one legend for all charts."""
    from matplotlib.lines import Line2D

    look: dict[str, Any] = {"loc": "outside upper left", "alignment": "left", "frameon": False, "fontsize": 9}
    look["title_fontproperties"] = {"size": 13, "weight": "bold"}
    if len(subjects) == 1:
        only = subjects[0]
        told = "\n".join(fold(only.diagnosis.summary if only.diagnosis else "", 118)[:2])
        figure.legend([Line2D([], [])], [told], title=only.name, handlelength=0, handletextpad=0, **look)
        return
    lines = [Line2D([], [], color=one.colour, linestyle=one.stroke, linewidth=2.2) for one in subjects[:MOST_NAMES]]
    names = [shortened(subject.name, 40) for subject in subjects[:MOST_NAMES]]
    if len(subjects) > MOST_NAMES:
        lines.append(Line2D([], [], linewidth=0))
        names.append(f"and {len(subjects) - MOST_NAMES} more")
    figure.legend(lines, names, title=f"{len(subjects)} runs", ncols=COLUMNS, handlelength=3.5, **look)


def _title(chart: Still, subjects: Sequence[Subject]) -> str:
    """The chart's title, with the run's name if only one of several runs has data for it."""
    drawn = [subject.name for subject in subjects if chart.has(subject.run)]
    return f"{chart.title} ({drawn[0]} only)" if len(drawn) == 1 < len(subjects) else chart.title


def _height(chart: Still, subjects: Sequence[Subject]) -> float:
    if callable(chart.height):
        return chart.height(subjects[0].run) if len(subjects) == 1 else SEVERAL_HEIGHT
    return chart.height
