"""Conditions: what a run is in (overfitting, diverging, waiting for data), each established by measurement.

One condition is one file: its docstring is the page, `SIGNS` are the measurements that establish it, and `remedies` are
the standard moves with this run's numbers. What faults lie behind a condition is not asked here (`diagnosis/`).
"""

from ._base import Condition, Finding, Remedy, all_conditions, confidence_of, find_condition
from ._judge import dismissed, established

__all__ = [
    "Condition",
    "Finding",
    "Remedy",
    "all_conditions",
    "confidence_of",
    "dismissed",
    "established",
    "find_condition",
]
