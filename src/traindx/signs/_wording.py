"""Numbers as people read them."""

from __future__ import annotations

import math

from ..record import Run
from ._facts import fact


def number(value: float) -> str:
    """Four digits are what a loss curve can bear."""
    return f"{value:.4g}"


def percent(share: float) -> str:
    value = 100 * share
    return f"{value:.2g} %" if 0 < abs(value) < 10 else f"{value:.0f} %"


def times(log_ratio: float) -> str:
    """A logarithmic rise as a factor."""
    return f"{math.exp(min(log_ratio, 700.0)):.3g} times"


def moment(run: Run, step: int) -> str:
    """`epoch 12` where a log counts epochs, `row 12` where it counts nothing, else `step 12`."""
    unit = fact(run, "log").get("step_unit")
    return f"{unit if unit in ('epoch', 'row') else 'step'} {step}"


def change(share: float) -> str:
    """A rise as people say it: `3.4 %`, `41 %`, `6.2 times` from a trebling on."""
    if share >= 2:
        return f"{1 + share:.3g} times"
    return percent(share)
