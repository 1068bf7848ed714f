"""Charts of runs. One chart is one file; it computes nothing but what drawing needs.

A chart module defines `TITLE`, `ORDER` (its place on the page), `HOW_TO_READ` (one sentence), `has(run)` and
`draw(axes, side, subjects)`, where `axes` is one place in the page's grid. Optional are `HEIGHT` or `height(subjects)`
in inches, `how_to_read(run)` where that depends on the run, `HOW_TO_READ_SEVERAL` where several are drawn otherwise,
`COLOUR_BAR` (one run's chart fills `side`), `MARKS_ONSETS` (it shows where something begins), and `REPEATS`, the
chart that shows the same of one run.
Needs matplotlib, the extra `plot`.
"""

from __future__ import annotations

from ._page import Unavailable, chart_names, charts_for, draw
from ._subject import Subject, subjects_of

__all__ = ["Subject", "Unavailable", "chart_names", "charts_for", "draw", "subjects_of"]
