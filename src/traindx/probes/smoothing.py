"""The exponential average of a loss during a range test, and whether it has diverged."""

from __future__ import annotations

import math

MEMORY = 0.9  # decay of the average: it covers about the last ten steps, a tenth of a test of a hundred
TOO_FAR = 4.0  # times the best loss; learning-rate finders usually stop there


class Smoothed:
    """Bias-corrected exponential average, its best value, and whether it has diverged from it."""

    def __init__(self) -> None:
        self._sum = 0.0
        self._weight = 0.0
        self.first = math.nan
        self.best = math.inf

    def add(self, value: float) -> float:
        self._sum = MEMORY * self._sum + (1 - MEMORY) * value
        self._weight = MEMORY * self._weight + (1 - MEMORY)
        if math.isnan(self.first):
            self.first = value
        self.best = min(self.best, self.value)
        return self.value

    @property
    def value(self) -> float:
        return self._sum / self._weight if self._weight else math.nan

    @property
    def diverged(self) -> bool:
        """Whether the average is far above its best value and above the first loss.

        A ratio means nothing if the best value is not positive. Then the average must have risen above the first loss
        by more than it had fallen below it."""
        if self.best > 0:
            return self.value > TOO_FAR * self.best and self.value > self.first
        fallen = abs(self.first - self.best) or abs(self.best) or 1.0
        return self.value > self.first + fallen
