"""Charts of runs. One chart is one file; it computes nothing but what drawing needs.

A chart module defines `TITLE`, `ORDER` (its place on the page), `HOW_TO_READ` (one sentence), `has(run)` and
`draw(figure, subjects)`, where `figure` is a part of the page for it alone. Optional are `height(subjects)` in inches
and `HOW_TO_READ_SEVERAL`, where a chart of several runs is drawn otherwise.
Needs matplotlib, the extra `plot`.
"""

from __future__ import annotations

from ._page import Unavailable, chart_names, charts_for, draw
from ._subject import Subject, subjects_of

__all__ = ["Subject", "Unavailable", "chart_names", "charts_for", "draw", "subjects_of"]
