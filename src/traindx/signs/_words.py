"""What signs say numbers, names and source lines with; `traindx.wording` has the rules."""

from __future__ import annotations

from typing import Any

from ..record.site import Site
from ..wording import counted, listed, number, percent
from ._base import Severity

__all__ = ["count", "grave", "listed", "num", "pct", "place"]


num = number
pct = percent
count = counted


def place(site: Any) -> str:
    """` (train.py:12)` where a site is known, else nothing."""
    found = site if isinstance(site, Site) else Site.of(site)
    return f" ({found})" if found else ""


def grave(level: float, severity: Severity) -> Severity:
    """The severity of a sign that is raised; a sign that is not raised informs only."""
    return severity if level >= 0.5 else "info"
