"""Numbers as people read them."""

from __future__ import annotations

import math


def number(value: float) -> str:
    """Four digits are what a loss curve can bear."""
    return f"{value:.4g}"


def percent(share: float) -> str:
    value = 100 * share
    return f"{value:.2g} %" if 0 < abs(value) < 10 else f"{value:.0f} %"


def times(log_ratio: float) -> str:
    """A logarithmic rise as a factor."""
    return f"{math.exp(min(log_ratio, 700.0)):.3g} times"
