"""What an adapter is given and what it returns."""

from __future__ import annotations

import importlib
import pkgutil
from dataclasses import dataclass
from types import ModuleType

import numpy as np
from numpy.typing import NDArray

from traindx.record import Run

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Said:
    """One finding of a tool: our label for it, whether the tool itself calls it more than a note, and its words."""

    label: str
    grave: bool
    text: str


@dataclass(frozen=True)
class Table:
    """A run's series as most tools want them."""

    steps: Array
    train: Array
    validation_steps: Array
    validation: Array
    lr: Array | None
    norm: Array | None

    @classmethod
    def of(cls, run: Run) -> Table:
        train, validation = run.series("loss/train"), run.series("loss/validation")
        steps = train.steps.astype(float)

        def beside(name: str) -> Array | None:
            series = run.series(name)
            return np.interp(steps, series.steps, series.values) if len(series) > 1 and len(steps) else None

        return cls(
            steps, train.values, validation.steps.astype(float), validation.values, beside("lr"), beside("grad_norm")
        )

    def training_at_evaluations(self) -> Array:
        """The training loss nearest to each evaluation, smoothed over the stretch since the one before."""
        edges = np.searchsorted(self.steps, self.validation_steps, side="right")
        starts = np.concatenate([[0], edges[:-1]])
        return np.array(
            [
                self.train[a:b].mean() if b > a else self.train[min(max(b - 1, 0), len(self.train) - 1)]
                for a, b in zip(starts, edges, strict=True)
            ]
        )


def installed() -> tuple[list[ModuleType], list[str]]:
    """The adapters whose tools can be imported, and a line for each that cannot."""
    found, skipped = [], []
    package = importlib.import_module("benchmarks.peers")
    for info in pkgutil.iter_modules(package.__path__):
        if info.name.startswith("_") or info.name in ("reallogs", "real"):
            continue
        try:
            found.append(importlib.import_module(f"benchmarks.peers.{info.name}"))
        except Exception as error:
            skipped.append(f"{info.name}: skipped ({type(error).__name__}: {error})")
    return found, skipped
