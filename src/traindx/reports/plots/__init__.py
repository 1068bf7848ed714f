"""Charts of runs, drawn with matplotlib (the extra `plot`). Each chart is one file.

A chart module defines `TITLE`, `ORDER` (its place on the page), `HOW_TO_READ` (one sentence), `has(run)` (whether the
run has data for it) and `draw(axes, side, subjects)`. Optional:

- `HEIGHT` or `height(subjects)`: its height in inches;
- `how_to_read(run)`: replaces `HOW_TO_READ` if the sentence depends on the run;
- `HOW_TO_READ_SEVERAL`: the sentence for several runs, if they are drawn differently;
- `COLOUR_BAR`: the chart of a single run draws a colour bar into `side`;
- `MARKS_ONSETS`: the chart marks where symptoms begin;
- `REPEATS`: the name of another chart that shows the same for a single run.
"""

from __future__ import annotations

from ._page import Unavailable, chart_names, charts_for, draw
from ._subject import Subject, subjects_of

__all__ = ["Subject", "Unavailable", "chart_names", "charts_for", "draw", "subjects_of"]
