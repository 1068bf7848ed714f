"""Puts charts on one page: a picture (PNG, SVG, PDF) or a self-contained HTML file."""

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
from ._subject import Subject

WIDTH = 9.5  # inches
HEIGHT = 3.0  # of a chart that does not say otherwise
PICTURES = ("png", "svg", "pdf")
STYLE = {
    "font.family": "DejaVu Sans",
    "font.size": 10,
    "axes.edgecolor": "#8a8f98",
    "axes.linewidth": 0.8,
    "text.parse_math": False,  # a run may be called $x$
    "svg.hashsalt": "traindx",  # the same picture from the same run
}
PAGE_STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #1c1e21;
  background: #fff }
h1 { font-size: 1.35rem } h2 { font-size: 1.05rem; margin: 2rem 0 0 }
p { margin: .2rem 0 .5rem; color: #556 } img { width: 100% }
"""


class Unavailable(Exception):
    """The drawing library is not installed."""


def all_charts() -> list[ModuleType]:
    return sorted(modules_of(__package__ or "", defining="HOW_TO_READ"), key=lambda chart: chart.ORDER)


def chart_names() -> list[str]:
    return [_name(chart) for chart in all_charts()]


def charts_for(runs: Sequence[Run], names: Sequence[str] | None = None) -> list[ModuleType]:
    """The charts for which at least one run holds data, in the order of the page."""
    wanted = [chart for chart in all_charts() if not names or _name(chart) in names]
    return [chart for chart in wanted if any(chart.has(run) for run in runs)]


def draw(subjects: Sequence[Subject], charts: Sequence[ModuleType], format: str) -> bytes:
    """The page in the given format. Raises Unavailable without matplotlib."""
    try:
        import matplotlib as mpl
        from matplotlib.figure import Figure
    except ImportError:
        raise Unavailable("drawing needs matplotlib: pip install 'traindx[plot]'") from None

    # Without pyplot: no window system is asked for, and the caller's own figures are left alone.
    with mpl.rc_context(STYLE), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph", UserWarning)  # a name may be in any script
        warnings.filterwarnings("ignore", "constrained_layout", UserWarning)  # or longer than the page is wide
        if format == "html":
            return _html(subjects, charts, Figure).encode("utf-8")
        return _picture(subjects, charts, Figure, format, heading=True)


def _picture(
    subjects: Sequence[Subject], charts: Sequence[ModuleType], figure_class: Any, format: str, heading: bool
) -> bytes:
    chosen = [[subject for subject in subjects if chart.has(subject.run)] for chart in charts]
    heights = [_height(chart, its) for chart, its in zip(charts, chosen, strict=True)]
    above = 0.75 if heading else 0.0
    figure = figure_class(figsize=(WIDTH, sum(heights) + above), layout="constrained", facecolor="white")
    parts = figure.subfigures(
        len(charts) + heading, 1, height_ratios=([above] if heading else []) + heights, squeeze=False
    )
    if heading:
        _heading(parts[0, 0], subjects)
    for part, chart, its in zip(parts[int(heading) :, 0], charts, chosen, strict=True):
        chart.draw(part, its)
        if heading:
            part.suptitle(_title(chart, subjects), x=0.01, ha="left", fontsize=11.5, fontweight="bold")
    held = io.BytesIO()
    figure.savefig(held, format=format, dpi=150, metadata={"Date": None} if format == "svg" else None)
    return held.getvalue()


def _heading(part: Any, subjects: Sequence[Subject]) -> None:
    title, below = _titles(subjects)
    part.text(0.01, 0.72, title, fontsize=13, fontweight="bold", va="center")
    part.text(0.01, 0.28, "\n".join(fold(below, 118)[:2]), fontsize=9.5, va="center", color="#444444")


def _title(chart: ModuleType, subjects: Sequence[Subject]) -> str:
    """The chart's title; with the run's name where only one of several has what it shows, since no legend says so."""
    drawn = [subject.name for subject in subjects if chart.has(subject.run)]
    return f"{chart.TITLE} ({drawn[0]} only)" if len(drawn) == 1 < len(subjects) else str(chart.TITLE)


def _how_to_read(chart: ModuleType, subjects: Sequence[Subject]) -> str:
    several = sum(chart.has(subject.run) for subject in subjects) > 1
    return str(getattr(chart, "HOW_TO_READ_SEVERAL", chart.HOW_TO_READ) if several else chart.HOW_TO_READ)


def _titles(subjects: Sequence[Subject]) -> tuple[str, str]:
    if len(subjects) > 1:
        names = ", ".join(subject.name for subject in subjects[:6]) + (" …" if len(subjects) > 6 else "")
        return f"{len(subjects)} runs", names
    diagnosis = subjects[0].diagnosis
    return subjects[0].name, diagnosis.summary if diagnosis else ""


def _html(subjects: Sequence[Subject], charts: Sequence[ModuleType], figure_class: Any) -> str:
    """Each chart a picture of its own under its title, with a sentence on how to read it."""
    title, below = _titles(subjects)
    sections = []
    for chart in charts:
        heading, how = markup(_title(chart, subjects)), markup(_how_to_read(chart, subjects))
        picture = base64.b64encode(_picture(subjects, [chart], figure_class, "svg", heading=False)).decode("ascii")
        sections.append(
            f'<h2>{heading}</h2><p>{how}</p><img alt="{heading}" src="data:image/svg+xml;base64,{picture}">'
        )
    return "\n".join(
        [
            "<!doctype html>",
            '<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">',
            f"<title>{markup(title)}</title><style>{PAGE_STYLE}</style></head><body>",
            f"<h1>{markup(title)}</h1><p>{markup(below)}</p>",
            *sections,
            "</body></html>\n",
        ]
    )


def _height(chart: ModuleType, subjects: Sequence[Subject]) -> float:
    return float(chart.height(subjects)) if hasattr(chart, "height") else HEIGHT


def _name(chart: ModuleType) -> str:
    return chart.__name__.rpartition(".")[2].replace("_", "-")
