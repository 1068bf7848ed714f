"""How signs put numbers, layer names and source lines into sentences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..paths import shown
from ._base import Severity


def num(value: float) -> str:
    """Three significant digits: enough to act on. Counts are given in full."""
    return f"{value:.0f}" if abs(value) < 1e6 and value == int(value) else f"{value:.3g}"


def pct(share: float) -> str:
    """A share as a percentage; small shares keep a digit so that they do not read as none."""
    share = min(max(share, 0.0), 1.0)
    return f"{100 * share:.0f} %" if share >= 0.1 or share == 0 else f"{100 * share:.2g} %"


def count(number: float, noun: str) -> str:
    return f"{number:g} {noun}" + ("" if number == 1 else "s")


def listed(names: Sequence[str], limit: int = 3) -> str:
    """The first names; how many more there are."""
    shown = ", ".join(names[:limit])
    return shown if len(names) <= limit else f"{shown} and {len(names) - limit} more"


def place(site: Any) -> str:
    """` (train.py:12)` where a site is known, else nothing."""
    if not isinstance(site, dict) or not isinstance(site.get("file"), str) or not site["file"]:
        return ""
    line = site.get("line")
    file = shown(site["file"])
    return f" ({file}:{line})" if isinstance(line, int) and line > 0 else f" ({file})"


def grave(level: float, severity: Severity) -> Severity:
    """The severity of a sign that is raised; a sign that is not raised informs only."""
    return severity if level >= 0.5 else "info"
