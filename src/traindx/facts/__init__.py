"""The lab report: every measured number of a run beside what healthy runs show. No judgement, and no cause.

A quantity says how it is read from a run (`quantities/`), a reference what it is in healthy runs (`reference.json`,
made by `python -m benchmarks.reference`, or a folder of one's own runs). Facts about the wiring (`wiring/`) have none.
"""

from .reference import (
    Range,
    Reference,
    Sample,
    all_quantities,
    as_object,
    made_from,
    of_object,
    of_runs,
    readings,
    shipped,
)
from .report import facts_of, measured, percentile_words, range_words, shown, unusual_of
from .types import Fact, Flag, Quantity, Reading, view
from .wiring import WIRING

__all__ = [
    "WIRING",
    "Fact",
    "Flag",
    "Quantity",
    "Range",
    "Reading",
    "Reference",
    "Sample",
    "all_quantities",
    "as_object",
    "facts_of",
    "made_from",
    "measured",
    "of_object",
    "of_runs",
    "percentile_words",
    "range_words",
    "readings",
    "shipped",
    "shown",
    "unusual_of",
    "view",
]
