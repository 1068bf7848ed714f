"""Still pictures of runs, drawn with matplotlib (the extra `plot`): the curves of the page, and two maps of layers.

`_stills` is the table of the charts, `_lines` and `_maps` draw them, `_picture` sets them below each other.
"""

from ._axes import Subject, subjects_of
from ._stills import Still, Unavailable, all_stills, chart_names, charts_for, draw

__all__ = ["Still", "Subject", "Unavailable", "all_stills", "chart_names", "charts_for", "draw", "subjects_of"]
