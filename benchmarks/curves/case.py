"""One made curve, what is true of it, and how it is laid out as a run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from traindx.record import Run, RunBuilder

from .courses import COURSES, NOISES, Array, Random, choose, step_numbers, time


@dataclass
class Maker:
    """Draws the parts of a curve from one pool."""

    pool: str
    rng: Random
    points: int
    noise: float

    def course(self, t: Array | None = None) -> Array:
        """From 1 at the first point towards 0."""
        t = time(self.points) if t is None else t
        shape = choose(COURSES[self.pool], self.rng)(t, self.rng)
        return np.asarray((shape - shape.min()) / max(shape[0] - shape.min(), 1e-9))

    def falling(self, first: float, last: float, t: Array | None = None) -> Array:
        return last + (first - last) * self.course(t)

    def noisy(self, level: Array, size: float | None = None) -> Array:
        """Multiplicative noise, so that a loss stays positive."""
        size = self.noise if size is None else size
        return np.asarray(level * np.exp(choose(NOISES[self.pool], self.rng)(len(level), size, self.rng)))

    def pick(self, values: Sequence[float]) -> float:
        return float(self.rng.choice(np.asarray(values)))


@dataclass
class Curves:
    """Series by name; steps are made when the run is."""

    train: Array | None
    validation: Array | None = None
    accuracy: Array | None = None  # beside the validation loss, or the training loss where there is none
    lr: Array | None = None  # beside the training loss
    extra: dict[str, Array] = field(default_factory=dict)  # beside the training loss
    config: dict[str, float] = field(default_factory=dict)

    def run(self, rng: Random) -> Run:
        built = RunBuilder("made", "log")
        longest = self.train if self.train is not None else self.validation
        longest = self.accuracy if longest is None else longest
        assert longest is not None
        steps = step_numbers(len(longest), rng)
        if self.train is not None:
            built.series("loss/train", steps, self.train)
        for name, values in (("loss/validation", self.validation), ("accuracy/validation", self.accuracy)):
            if values is not None:
                built.series(name, _beside(steps, len(values)), values)
        if self.lr is not None:
            built.series("lr", steps, self.lr)
        for name, values in self.extra.items():
            built.series(name, steps, values)
        built.fact("log", {"columns": {}, "step_unit": "step", "runs": 1, "config": self.config})
        return built.build()


def _beside(steps: Array, count: int) -> Array:
    """The steps at the ends of `count` equal stretches."""
    at = (np.arange(1, count + 1) * len(steps) / count).astype(int) - 1
    return steps[np.clip(at, 0, len(steps) - 1)] if count < len(steps) else steps
