"""Runs made for the tests: a falling loss with a known level, noise and settings."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np

from traindx.comparison import Outcome
from traindx.comparison.outcome import outcome_of
from traindx.record import Run, RunBuilder

STEPS = np.arange(0, 400, 4)


def losses(level: float, seed: int, noise: float = 0.02) -> Any:
    """A decay to `level`."""
    return level + 2 * np.exp(-STEPS / 60) + noise * np.random.default_rng(seed).normal(size=len(STEPS))


def run_of(level: float, seed: int = 0, name: str = "", broken: bool = False, **config: Any) -> Run:
    values = losses(level, crc32(f"{seed}{sorted(config.items())}".encode()))
    if broken:
        values[60:] = np.nan
    name = name or "-".join(f"{key}{value}" for key, value in {**config, "seed": seed}.items())
    return (
        RunBuilder(f"made/{name}.csv", "csv")
        .series("loss/train", STEPS, values)
        .fact("log", {"config": config, "step_unit": "step", "columns": {}})
        .build()
    )


def outcomes(*runs: Run) -> list[Outcome]:
    return [outcome_of(run) for run in runs]


def write_csv(path: Path, level: float, seed: int = 0, broken: bool = False) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    values = losses(level, seed)
    if broken:
        values[60:] = np.nan
    rows = "".join(f"{step},{value:.6f}\n" for step, value in zip(STEPS, values, strict=True))
    path.write_text("step,loss\n" + rows)
    return path
