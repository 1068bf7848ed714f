"""Compares several runs: what differs, which run is best, and which setting explains it.

`places_at` expands folders, `gather` reads and diagnoses the runs, `compare` ranks and explains them.
"""

from ._names import short_names
from ._values import is_number, shown
from .compare import compare
from .gathering import Gathered, gather
from .outcome import higher_is_better
from .places import Place, places_at
from .skipped import Skipped
from .types import Comparison, Duplicates, Effect, Entry, Measured, Metric, Noise, Outcome

__all__ = [
    "Comparison",
    "Duplicates",
    "Effect",
    "Entry",
    "Gathered",
    "Measured",
    "Metric",
    "Noise",
    "Outcome",
    "Place",
    "Skipped",
    "compare",
    "gather",
    "higher_is_better",
    "is_number",
    "places_at",
    "short_names",
    "shown",
]
