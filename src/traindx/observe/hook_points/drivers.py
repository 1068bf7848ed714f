"""Drivers that a plain run may have."""

from __future__ import annotations

from typing import Any

from .hooks import Driver, StopTraining


class StopAfter(Driver):
    """Ends the script after so many steps (`--max-steps`)."""

    def __init__(self, steps: int) -> None:
        self._left = steps

    def after_step(self, optimizer: Any) -> None:
        self._left -= 1
        if self._left <= 0:
            raise StopTraining
