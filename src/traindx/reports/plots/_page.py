"""Draws charts on one page: a picture (PNG, SVG, PDF) or a self-contained HTML file."""

from __future__ import annotations

import base64
import io
import warnings
from collections.abc import Sequence
from types import ModuleType
from typing import Any

from ...record import Run
from ...units import modules_of
from ...wording import markup
from ..layout import fold
from ._axes import LINE, MARKS, SOFT, above, shortened
from ._onsets import onset_lines
from ._subject import Subject

WIDTH = 9.5  # inches
HEIGHT = 3.0  # default of a chart, in inches
MOST_NAMES = 24  # of runs in the legend
INCH = 72.0  # points
STYLE = {
    "font.family": "DejaVu Sans",
    "font.size": 9.5,
    "axes.edgecolor": "#8a8f98",
    "axes.linewidth": 0.8,
    "text.parse_math": False,  # a run may be called $x$
    "svg.hashsalt": "traindx",  # the same run gives the same file
}
PAGE_STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #1c1e21;
  background: #fff }
h1 { font-size: 1.35rem } h2 { font-size: 1.05rem; margin: 2rem 0 0 }
p { margin: .2rem 0 .5rem; color: #556 } img { width: 100% }
.names { list-style: none; padding: 0 } .names li { display: inline-block; margin-right: 1.2rem }
.names span { display: inline-block; width: 1.6rem; border-top: 3px solid; vertical-align: middle; margin-right: .4rem }
"""


class Unavailable(Exception):
    """matplotlib is not installed."""


def all_charts() -> list[ModuleType]:
    return sorted(modules_of(__package__ or "", defining="HOW_TO_READ"), key=lambda chart: chart.ORDER)


def chart_names() -> list[str]:
    return [_name(chart) for chart in all_charts()]


def charts_for(runs: Sequence[Run], names: Sequence[str] | None = None) -> list[ModuleType]:
    """The charts for which at least one run has data, in page order. For a single run, repeated charts are left out."""
    if names:
        wanted = [chart for chart in all_charts() if _name(chart) in names]
    else:
        wanted = [chart for chart in all_charts() if len(runs) > 1 or not hasattr(chart, "REPEATS")]
    return [chart for chart in wanted if any(chart.has(run) for run in runs)]


def draw(subjects: Sequence[Subject], charts: Sequence[ModuleType], format: str) -> bytes:
    """The page in the given format. Raises Unavailable without matplotlib."""
    try:
        import matplotlib as mpl
        from matplotlib.figure import Figure
    except ImportError:
        raise Unavailable("drawing needs matplotlib: pip install 'traindx[plot]'") from None

    # Without pyplot, no window system is needed and the caller's own figures stay untouched.
    with mpl.rc_context(STYLE), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph", UserWarning)  # the font lacks some scripts
        warnings.filterwarnings("ignore", "constrained_layout", UserWarning)  # a name may be wider than the page
        if format == "html":
            return _html(subjects, charts, Figure).encode("utf-8")
        return _picture(subjects, charts, Figure, format, heading=True)


def _picture(
    subjects: Sequence[Subject], charts: Sequence[ModuleType], figure_class: Any, format: str, heading: bool
) -> bytes:
    """The charts below each other in one grid, so that their steps line up."""
    chosen = [[subject for subject in subjects if chart.has(subject.run)] for chart in charts]
    lines = [_lines_above(chart, its, heading) for chart, its in zip(charts, chosen, strict=True)]
    heights = [
        _height(chart, its) + _room_above(texts, heading)
        for chart, its, texts in zip(charts, chosen, lines, strict=True)
    ]
    top = _heading_height(subjects) if heading else 0.05
    whole = sum(heights) + top
    figure = figure_class(figsize=(WIDTH, whole), layout="constrained", facecolor="white")
    figure.get_layout_engine().set(rect=(0, 0, 1, 1 - top / whole), h_pad=0.06, w_pad=0.08)
    bars = any(hasattr(chart, "COLOUR_BAR") and len(its) == 1 for chart, its in zip(charts, chosen, strict=True))
    grid = figure.add_gridspec(
        len(charts), 1 + bars, height_ratios=heights, **({"width_ratios": [1, 0.018], "wspace": 0.01} if bars else {})
    )
    for place, (chart, its, texts) in enumerate(zip(charts, chosen, lines, strict=True)):
        axes = figure.add_subplot(grid[place, 0])
        has_bar = hasattr(chart, "COLOUR_BAR") and len(its) == 1
        chart.draw(axes, figure.add_subplot(grid[place, 1]) if has_bar else None, its)
        marked = bool(onset_lines(its)) and bool(getattr(chart, "MARKS_ONSETS", False))
        above(axes, _title(chart, subjects) if heading else "", texts, marked=marked)
    if heading:
        _heading(figure, subjects, whole)
    held = io.BytesIO()
    figure.savefig(held, format=format, dpi=150, metadata={"Date": None} if format == "svg" else None)
    return held.getvalue()


def _lines_above(chart: ModuleType, subjects: Sequence[Subject], heading: bool) -> list[tuple[str, str]]:
    """How to read the chart (on an HTML page, HTML says that) and the meaning of its letters."""
    how = [(_how_to_read(chart, subjects), SOFT)] if heading else []
    meanings = onset_lines(subjects) if getattr(chart, "MARKS_ONSETS", False) else []
    return [*how, *((text, "#222222") for text in meanings)]


def _room_above(lines: Sequence[tuple[str, str]], heading: bool) -> float:
    return (LINE * len(lines) + MARKS + (18 if heading else 0)) / INCH


def _heading_height(subjects: Sequence[Subject]) -> float:
    return 0.75 + 0.19 * (len(_legend_rows(subjects)) if len(subjects) > 1 else 0)


def _heading(figure: Any, subjects: Sequence[Subject], whole: float) -> None:
    """The run's name and finding; for several runs, one legend for all charts."""
    from matplotlib.lines import Line2D

    title, below = _titles(subjects)
    figure.text(0.012, 1 - 0.2 / whole, title, fontsize=13, fontweight="bold", va="center")
    if len(subjects) == 1:
        folded = fold(below, 118)
        figure.text(0.012, 1 - 0.5 / whole, "\n".join(folded[:2]), fontsize=9.5, va="center", color="#444444")
        return
    for row, line in enumerate(_legend_rows(subjects)):
        height = 1 - (0.48 + 0.19 * row) / whole
        for left, subject in line:
            ends = [left, left + 0.025]
            figure.add_artist(
                Line2D(ends, [height, height], color=subject.colour, linestyle=subject.stroke, linewidth=2.2)
            )
            figure.text(left + 0.031, height, shortened(subject.name, 60), fontsize=9, va="center")
    if len(subjects) > MOST_NAMES:
        height = 1 - (0.48 + 0.19 * len(_legend_rows(subjects))) / whole
        figure.text(0.012, height, f"and {len(subjects) - MOST_NAMES} more", fontsize=9, va="center", color=SOFT)


def _legend_rows(subjects: Sequence[Subject]) -> list[list[tuple[float, Subject]]]:
    """The legend of the first runs as rows of (left end, run)."""
    rows: list[list[tuple[float, Subject]]] = [[]]
    left = 0.012
    for subject in subjects[:MOST_NAMES]:
        width = 0.05 + 0.0088 * len(shortened(subject.name, 60))
        if rows[-1] and left + width > 0.99:
            rows.append([])
            left = 0.012
        rows[-1].append((left, subject))
        left += width
    return rows


def _title(chart: ModuleType, subjects: Sequence[Subject]) -> str:
    """The chart's title, with the run's name if only one of several runs has data for it."""
    drawn = [subject.name for subject in subjects if chart.has(subject.run)]
    return f"{chart.TITLE} ({drawn[0]} only)" if len(drawn) == 1 < len(subjects) else str(chart.TITLE)


def _how_to_read(chart: ModuleType, subjects: Sequence[Subject]) -> str:
    drawn = [subject for subject in subjects if chart.has(subject.run)]
    if len(drawn) > 1:
        return str(getattr(chart, "HOW_TO_READ_SEVERAL", chart.HOW_TO_READ))
    return str(chart.how_to_read(drawn[0].run)) if hasattr(chart, "how_to_read") else str(chart.HOW_TO_READ)


def _titles(subjects: Sequence[Subject]) -> tuple[str, str]:
    if len(subjects) > 1:
        return f"{len(subjects)} runs", ""
    diagnosis = subjects[0].diagnosis
    return subjects[0].name, diagnosis.summary if diagnosis else ""


def _html(subjects: Sequence[Subject], charts: Sequence[ModuleType], figure_class: Any) -> str:
    """A page with each chart as a separate picture, below its title and a sentence on how to read it."""
    title, below = _titles(subjects)
    sections = []
    for chart in charts:
        heading, how = markup(_title(chart, subjects)), markup(_how_to_read(chart, subjects))
        picture = base64.b64encode(_picture(subjects, [chart], figure_class, "svg", heading=False)).decode("ascii")
        sections.append(
            f'<h2>{heading}</h2><p>{how}</p><img alt="{heading}" src="data:image/svg+xml;base64,{picture}">'
        )
    names = "".join(
        f'<li><span style="border-color: {subject.colour}; border-top-style: '
        f'{"solid" if subject.stroke == "-" else "dashed"}"></span>{markup(subject.name)}</li>'
        for subject in subjects
    )
    return "\n".join(
        [
            "<!doctype html>",
            '<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">',
            f"<title>{markup(title)}</title><style>{PAGE_STYLE}</style></head><body>",
            f"<h1>{markup(title)}</h1>",
            f'<ul class="names">{names}</ul>' if len(subjects) > 1 else f"<p>{markup(below)}</p>",
            *sections,
            "</body></html>\n",
        ]
    )


def _height(chart: ModuleType, subjects: Sequence[Subject]) -> float:
    return float(chart.height(subjects)) if hasattr(chart, "height") else float(getattr(chart, "HEIGHT", HEIGHT))


def _name(chart: ModuleType) -> str:
    return chart.__name__.rpartition(".")[2].replace("_", "-")
