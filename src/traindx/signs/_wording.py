"""Numbers of curves: four digits are what a loss curve can bear."""

from __future__ import annotations

from functools import partial

from ..wording import number as plain_number
from ..wording import percent, times

__all__ = ["number", "percent", "times"]

number = partial(plain_number, digits=4)
